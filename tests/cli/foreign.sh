#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Files of other formats, taken for safetensors: the message names the format and what helps.
source "$(dirname "$0")/library.sh"

# foreign NAME TEXT: bad.st is what stdin holds.
foreign() {
    cat >"${file-bad.st}"
    refuses "$1" 1 "clquant: ${file-bad.st}: is $2" "$CLQUANT" quantize "${file-bad.st}" -o out.st
    only_files "$1" "${file-bad.st}"
    rm "${file-bad.st}"
}

# zip NAME: the beginning of an archive whose first file is NAME.
zip() {
    printf 'PK\003\004\012\0\0\0\0\0%16s' ''
    little_endian "${#1}" | head -c 2
    printf '\0\0%s' "$1"
    head -c 200 /dev/zero
}

foreign "an empty file" "an empty file, not a safetensors file: it was not fetched" </dev/null
foreign "a Git LFS pointer" "a Git LFS pointer to a file, not a safetensors file: \`git lfs pull\`" <<'END'
version https://git-lfs.github.com/spec/v1
oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393
size 12345
END
foreign "torch.save" "a PyTorch file (.pt, .pth or .bin, a zip archive), not a safetensors file: load it with torch.load" < <(zip archive/data.pkl)
foreign "numpy.savez" "a NumPy archive (.npz)" < <(zip arr_0.npy)
foreign "another zip file" "a zip archive" < <(zip model.safetensors)
foreign "a zip file that was cut" "a zip archive" < <(zip x | head -c 29)
foreign "a zip file that was cut in its first name" "a zip archive" < <(zip archive/data.pkl | head -c 40)
foreign "an old torch.save" "a Python pickle" < <(printf '\200\002\212\012l\374\234F\371 j\250P\031.\200\002M\351\003.')
foreign "a pickle of today" "a Python pickle" < <(printf '\200\004\225\020\0\0\0\0\0\0\0}\224.')
foreign "numpy.save" "a NumPy array (.npy), not a safetensors file: load it with numpy.load" < <(printf '\223NUMPY\001\0v\0{')
foreign "GGUF" "a GGUF file" < <(printf 'GGUF\003\0\0\0\0\0\0\0')
foreign "HDF5" "an HDF5 file" < <(printf '\211HDF\r\n\032\n\0\0\0\0')
foreign "gzip" "compressed by gzip, not a safetensors file: \`gunzip\`" < <(printf '\037\213\010\0\0\0\0\0\0\003abc')
foreign "zstd" "compressed by zstd" < <(printf '\050\265\057\375\004\0\001\0')
foreign "xz" "compressed by xz" < <(printf '\3757zXZ\0\0\004')
foreign "tar" "a tar archive" < <(printf 'model%252s%s' '' "ustar  "; head -c 300 /dev/zero)
foreign "an HTML page" "an HTML page, not a safetensors file: the download failed" <<<'<!doctype HTML><html><body>404</body></html>'
foreign "an HTML page without its type" "an HTML page" <<<$'\xef\xbb\xbf\n <html lang="en">Not Found</html>'
foreign "XML" "an XML text" <<<'<?xml version="1.0"?><Error><Code>AccessDenied</Code></Error>'
foreign "XML without its first line" "an XML text" <<<'<Error><Code>AccessDenied</Code></Error>'
foreign "an index" "the index of a model in several files (JSON), not a safetensors file: give the .safetensors file that its weight_map names" \
    <<<'{"metadata": {"total_size": 100}, "weight_map": {"x": "model-00001-of-00002.safetensors"}}'
file=model.safetensors.index.json foreign "an index by its name" "the index of a model" <<<'{"metadata": {}}'
foreign "JSON" "a JSON text" <<<'{"architectures": ["A"], "hidden_size": 4096}'
foreign "a list" "a JSON text" <<<'  [1, 2, 3, 4]'

# What is none of them keeps its own message.
printf 'plain text, a page of it' >bad.st
refuses "text of no format" 1 "bytes, more than 100000000" "$CLQUANT" quantize bad.st -o out.st
printf '<3 and more' >bad.st
refuses "text that begins as XML does not" 1 "bytes, more than 100000000" "$CLQUANT" quantize bad.st -o out.st
refuses "list says the same" 1 "bytes, more than 100000000" "$CLQUANT" list bad.st

finish
