#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Writes the manual page of the command, from what the command itself says: man.sh COMMAND PAGE
set -eu
clquant=$1 page=$2
exec >"$page.part"
help=$("$clquant" --help)

# as text of roff: no line is a request, and what is typed is ASCII
text() { sed -e 's/\\/\\e/g' -e 's/-/\\-/g' -e 's/\^/\\(ha/g' -e 's/~/\\(ti/g' -e 's/`/\\(ga/g' -e "s/^\( *\)\([.']\)/\1\\\\\&\2/"; }

# section TEXT: the names of the list of --help that this text stands above
section() { echo "$help" | awk -v above="$1" '$0 == "" { inside = 0 } index($0, above) == 1 { inside = 1 } inside && /^  [a-z]/ { print $1 }'; }

# The help of an operator: what is behind two spaces are formulas, which stay as they are, then tensors and options, a
# paragraph each.
operator() {
  "$clquant" "$1" --help | text | awk '
    NR <= 2 { next } # how it is called
    /^Tensors in IN:/ { part = "tensors"; print ".PP\nTensors in IN:"; next }
    /^Tensors in OUT:/ { part = "out"; print ".PP"; print; next }
    /^Options/ { part = "options"; print ".PP"; print; next }
    /^Exit status/ { next }
    part == "" && /^  / { if (!example) print ".PP\n.EX"; example = 1; print; next }
    example { print ".EE"; example = 0 }
    $0 == "" { begins = 1; next }
    part == "options" && match($0, /^  (\\-)+[a-z0-9\\-]+( [^ ]+)?/) || part == "tensors" && match($0, /^  [a-z_0-9]+/) {
      word = substr($0, 3, RLENGTH - 2)
      rest = substr($0, RLENGTH + 1)
      sub(/^ +/, "", rest)
      print ".TP\n.B " word
      if (rest != "") print rest
      next
    }
    part == "" && begins { print ".PP"; begins = 0 }
    { sub(/^ +/, ""); print }'
}

version=$("$clquant" --version)
cat <<ROFF
.\\" Written by host/cli/man.sh.
.TH CLQUANT 1 "" "$version" "User Commands"
.SH NAME
clquant \\- quantize tensors of safetensors files on any OpenCL device
.SH SYNOPSIS
.B clquant
.I OPERATOR IN.safetensors
.RI [ IN2.safetensors " ...]"
.B \\-o
.I OUT.safetensors
.RI [ options ]
.br
.B clquant
.I COMMAND
.RI [ options ]
.br
.B clquant \\-\\-version
.SH DESCRIPTION
Each operator reads its tensors, by their names, from safetensors files, computes on an OpenCL device and writes a new file. The bytes are
the same on every device.
.PP
An output file is written beside its place and renamed: a run that fails leaves no file behind and an old one whole. It is never one of
the input files.
.SH COMMANDS
ROFF
for name in $(section "clquant COMMAND"); do
  printf '.SS %s\n.EX\n' "$name"
  "$clquant" "$name" --help | text
  printf '.EE\n'
done
printf '.SH OPERATORS\n'
for name in $(section "clquant OPERATOR"); do
  printf '.SS %s\n' "$name"
  operator "$name"
done
cat <<'ROFF'
.SH EXAMPLES
.EX
clquant scales x.safetensors \-o s.safetensors \-\-dtype int4
clquant quantize x.safetensors s.safetensors \-o y.safetensors \-\-dtype int4
clquant dequantize y.safetensors s.safetensors \-o back.safetensors \-\-of int4
.EE
.SH ENVIRONMENT
.TP
.B CLQ_DEVICE
The device where \-\-device is not given.
.TP
.B CLQ_CACHE_DIR
Where kernels are kept that were built; an empty one is as if it were not set.
.TP
.BR XDG_CACHE_HOME ", " HOME
Without CLQ_CACHE_DIR they are kept in $XDG_CACHE_HOME/clquant, else in $HOME/.cache/clquant.
.SH EXIT STATUS
.TP
.B 0
Done.
.TP
.B 1
The input was refused.
.TP
.B 2
The command line is wrong.
.TP
.B 3
The device or the system failed.
.SH SEE ALSO
.BR clinfo (1);
docs/command.md and docs/operators.md of clquant's documentation.
ROFF
mv "$page.part" "$page"
