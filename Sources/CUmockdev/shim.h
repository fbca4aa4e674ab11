#pragma once
#if __has_include(<umockdev.h>)
#include <umockdev.h>
#endif
