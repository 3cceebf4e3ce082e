/* SPDX-License-Identifier: Apache-2.0 */
/* clquant quantize_model: headers in, a plan, then shard after shard. */
#include "../build_log.h"
#include "../commands.h"
#include "model.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <unistd.h>

static bool run(struct model *model)
{
    bool ok = model_enter_folder(model) && model_open(model) && model_pick_shards(model) &&
              model_config_read(model) && model_cut_experts(model);

    if (ok && model->options.compare)
        return model_compare(model);
    ok = ok && model_find_copies(model) && model_choose(model) && model_config_make(model) &&
         model_plan(model) && model_open_out(model);

    for (size_t i = 0; ok && i < model->shard_count; i++)
        ok = model_write_shard(model, &model->shards[i]);
    if (ok && model->options.shards.count == 0)
        ok = model_check_whole(model) && model_copy_files(model) && model_index_write(model) &&
             model_config_write(model) && model_find_old(model);
    return ok && model_write_errors(model);
}

static void release_shard(struct model_shard *shard)
{
    for (size_t t = 0; t < shard->out_count; t++)
        free(shard->out[t].name);
    free(shard->out);
    free(shard->header);
    free(shard->tensors);
    for (size_t c = 0; c < shard->cut_count; c++)
        free(shard->cuts[c].name);
    free(shard->cuts);
    free(shard->out_path);
    safetensors_close(&shard->file);
    free(shard->path);
}

static void release(struct model *model)
{
    for (size_t i = 0; i < model->shard_count; i++)
        release_shard(&model->shards[i]);
    free(model->shards);
    cJSON_Delete(model->index);
    free(model->config_path);
    free(model->given_config);
    free(model->config);
    model_free_lists(&model->options);
    model_list_clear(&model->copies);
    model_list_clear(&model->old);
    free(model->found_path);
    if (model->out_fd >= 0)
        close(model->out_fd);
    clq_queue_destroy(model->queue);
    clq_context_destroy(model->context);
}

int quantize_model_main(int argc, char **argv)
{
    struct failure failure = {.status = STATUS_DONE};
    struct model model = {.failure = &failure, .out_fd = -1};
    char *log = NULL;
    bool ok = model_parse(&model, argc, argv);

    if (ok && model.options.help) {
        model_help();
    } else if (ok) {
        progress_begin(&model.progress);
        ok = run(&model);
        progress_end(&model.progress);
        if (ok && !model.options.compare)
            model_report(&model);
    }
    if (!ok) {
        log = take_build_log(failure.code, failure.text, model.context);
        complain("%s", failure.text);
    }
    say_log(log);
    release(&model);
    return (int)failure.status;
}
