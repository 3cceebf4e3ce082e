#include "base/zero.h"

#include <string.h>

void clq__zero(void *data, size_t size_bytes)
{
    memset(data, 0, size_bytes);
}
