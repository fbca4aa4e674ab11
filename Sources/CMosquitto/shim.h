#include <mosquitto.h>
// Since 2.1 the first header has what the second one had, and the second one only warns.
#if !__has_include(<mosquitto/mqtt_protocol.h>)
#include <mqtt_protocol.h>
#endif
