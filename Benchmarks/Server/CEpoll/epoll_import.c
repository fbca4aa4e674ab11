#include "epoll_import.h"
