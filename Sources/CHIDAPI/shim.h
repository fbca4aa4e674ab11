#pragma once
#include <hidapi/hidapi.h>
