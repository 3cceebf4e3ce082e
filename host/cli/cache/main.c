/* SPDX-License-Identifier: Apache-2.0 */
/* clquant cache: which action runs. */
#include "arguments.h"
#include "cache.h"
#include "commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "clquant cache [list|clear]\n"
    "clquant cache fill --for FILE [--device KIND|N|TEXT]\n"
    "clquant cache export DIR [--for FILE]\n\n"
    "Lists or removes the kernels that are kept on disk. They are in CLQ_CACHE_DIR,\n"
    "else in clquant under XDG_CACHE_HOME, else in ~/.cache/clquant.\n\n"
    "fill    builds the variants that FILE names for a device that is present, and\n"
    "        keeps them there\n"
    "export  writes a source for each, whose kernel has a name of its own, and\n"
    "        manifest.json, for an offline compiler; DIR is made. Without --for:\n"
    "        every portable variant, some 1,500. No device is opened\n\n"
    "FILE has a variant a line, as CLQ_RECORD=FILE makes any program that uses\n"
    "clquant append them, or several: quantize.cl SRC=f16|bf16 DST=i8 MODE=divide\n"
    "PARAMS=one. What follows a # is a comment. FORM=item|group and\n"
    "ARITHMETIC=native|fused|exact may be left out: fill takes what the device would,\n"
    "export all of them.\n";

static int refuse(const char *word)
{
    complain("cache: '%.100s': list, clear, fill --for FILE or export DIR is expected", word);
    return STATUS_USAGE;
}

static int run(const char *const *words, size_t count, const struct cache_options *options)
{
    const char *action = count > 0 ? words[0] : "list";
    const bool fills = strcmp(action, "fill") == 0, exports = strcmp(action, "export") == 0,
               lists = strcmp(action, "list") == 0, clears = strcmp(action, "clear") == 0;

    if (!fills && !exports && !lists && !clears)
        return refuse(action);
    if (count > (exports ? 2 : 1))
        return refuse(words[exports ? 2 : 1]);
    if ((lists || clears) && (options->device_text != NULL || options->variants_path != NULL))
        return refuse(options->device_text != NULL ? "--device" : "--for");
    if (exports && (count < 2 || *words[1] == '\0')) {
        complain("cache export: DIR is expected, a folder to be made");
        return STATUS_USAGE;
    }
    return lists    ? cache_list()
           : clears ? cache_clear()
           : fills  ? cache_fill(options)
                    : cache_export(words[1], options);
}

int cache_main(int argc, char **argv)
{
    struct failure failure = {.status = STATUS_DONE};
    struct cache_options given = {0};
    struct texts words = {0};
    bool wants_help = false;
    const struct argument table[] = {{"device", ARGUMENT_TEXT, .to = &given.device_text},
                                     {"for", ARGUMENT_TEXT, .to = &given.variants_path},
                                     {"help", ARGUMENT_FLAG, &wants_help, .letter = 'h'},
                                     {.name = NULL}};
    int status = STATUS_DONE;

    if (!arguments_parse("cache", table, &words, argc, argv, &failure)) {
        complain("%s", failure.text);
        status = (int)failure.status;
    } else if (wants_help) {
        fputs(help, stdout);
    } else {
        status = run(words.list, words.count, &given);
    }
    free(words.list);
    return status;
}
