/* SPDX-License-Identifier: Apache-2.0 */
/* What config.json says of a model's classes, in it or in a part such as text_config. */
#include "model.h"

#include <cjson/cJSON.h>
#include <string.h>

/* Models whose matrices are [in, out], of the class Conv1D. */
static const char *const conv1d_types[] = {"gpt2", "openai-gpt", "imagegpt", "decision_transformer", "clvp"};

/* Output heads of another name than lm_head whose weight may be the embedding's. */
static const struct {
    const char *model_type, *head;
} heads[] = {{"whisper", "proj_out"},
             {"moonshine", "proj_out"},
             {"moonshine_streaming", "proj_out"},
             {"cohere_asr", "proj_out"},
             {"canary", "proj_out"},
             {"biogpt", "output_projection"},
             {"trocr", "output_projection"},
             {"gpt_neox_japanese", "embed_out"},
             {"rwkv", "head"},
             {"git", "output"}};

/* transformers initializes these before it has read them, by a weight that packed layers have not. */
static const char *const initialized_types[] = {"t5",
                                                "mt5",
                                                "umt5",
                                                "longt5",
                                                "pop2piano",
                                                "switch_transformers",
                                                "udop",
                                                "mamba",
                                                "mamba2",
                                                "falcon_mamba",
                                                "falcon",
                                                "gpt_bigcode",
                                                "recurrent_gemma",
                                                "nanochat",
                                                "pix2struct_text_model",
                                                "kosmos-2",
                                                "modernbert",
                                                "modernbert-decoder",
                                                "siglip_vision_model",
                                                "siglip2_vision_model",
                                                "phi4_multimodal"};

static void take_type(struct model_facts *facts, const char *type)
{
    facts->llama4 |= strcmp(type, "llama4") == 0 || strcmp(type, "llama4_text") == 0;
    for (size_t i = 0; i < sizeof conv1d_types / sizeof *conv1d_types; i++)
        facts->conv1d |= strcmp(type, conv1d_types[i]) == 0;
    for (size_t i = 0; i < sizeof initialized_types / sizeof *initialized_types; i++)
        if (strcmp(type, initialized_types[i]) == 0)
            facts->initialized = initialized_types[i];
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        if (strcmp(type, heads[i].model_type) == 0)
            facts->head = heads[i].head;
}

void model_read_facts(struct model_facts *facts, const struct cJSON *config)
{
    const cJSON *type = cJSON_GetObjectItemCaseSensitive(config, "model_type");
    const cJSON *rows = cJSON_GetObjectItemCaseSensitive(config, "vocab_size"), *item = NULL;

    if (!cJSON_IsObject(config))
        return;
    if (cJSON_IsString(type))
        take_type(facts, type->valuestring);
    if (cJSON_IsNumber(rows) && rows->valuedouble >= 1 && facts->vocabulary_count < MODEL_VOCABULARIES)
        facts->vocabularies[facts->vocabulary_count++] = rows->valuedouble;
    facts->tied |= cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(config, "tie_word_embeddings"));
    cJSON_ArrayForEach(item, config)
    {
        model_read_facts(facts, item);
    }
}
