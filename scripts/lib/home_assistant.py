"""Messages of MQTT discovery against Home Assistant's own schemas and templates.

Run by DiscoveryTests where SWIPED_HOME_ASSISTANT names a Python that has homeassistant. Reads two lines: an array of the messages,
and a swipe as it is published. Prints what each template makes of the swipe.
"""

import asyncio
import importlib
import json
import sys

from homeassistant.components.mqtt import discovery
from homeassistant.core import HomeAssistant


async def main():
    hass = HomeAssistant("/nonexistent")
    messages, swipe = json.loads(sys.stdin.readline()), sys.stdin.readline()
    for message in messages:
        device = discovery._parse_device_payload(hass, json.dumps(message), "swiped", None)
        assert device, message
        for name, component in device["components"].items():
            entity = discovery.MQTTDiscoveryPayload(component)
            platform = importlib.import_module(f"homeassistant.components.mqtt.{entity.pop('platform')}")
            discovery._merge_common_device_options(entity, device)
            assert discovery._valid_origin_info(entity)
            valid = platform.DISCOVERY_SCHEMA(dict(entity))
            dropped = set(component) - set(valid) - {"platform"}
            assert not dropped, dropped
            if (template := valid.get("value_template")) and name in ("swipe", "tag"):
                template.hass = hass
                print(name, template.async_render_with_possible_json_value(swipe, "", parse_result=False))


asyncio.run(main())
