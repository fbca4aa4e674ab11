"""A till's server that pays in Checkout's sandbox (Checkout/openapi.yaml): what a page sends to it becomes a charge."""

from __future__ import annotations

import json
import subprocess
import urllib.error
import urllib.request
from decimal import Decimal
from pathlib import Path
from typing import Any, Dict, List, Optional


class Sandbox:
    def __init__(self, program: Path) -> None:
        self._process = subprocess.Popen([str(program)], stdout=subprocess.PIPE, text=True)
        assert self._process.stdout
        self.address = self._process.stdout.readline().strip()

    def _ask(self, path: str, key: str = "", bearer: str = "", body: Optional[Dict[str, Any]] = None) -> Any:
        request = urllib.request.Request(
            self.address + path, method="GET" if body is None else "POST",
            data=None if body is None else json.dumps(body).encode(),
            headers={"Content-Type": "application/json", "Authorization": f"Bearer {bearer}", "Idempotency-Key": key})
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            return json.load(error)

    def pay(self, sale: Dict[str, Any]) -> Dict[str, str]:
        """What clients/javascript/till.js sends, and wants to know."""
        terms = {"description": "A sale at the counter", "amount": int(Decimal(sale["amount"]) * 100), "currency": "EUR"}
        key = f"till-sale-{sale['id']}"
        opened = self._ask("/v1/transactions", key + "-open", "pkey_till", terms)
        method = next(method["id"] for method in opened["methods"] if method["kind"] == "swipe")
        source = self._ask(f"/v1/transactions/{opened['id']}/sources", key + "-card", opened["token"],
                           {**terms, "method": method, "flow": "in_place", "card": self._card(sale)})
        if "error" in source:
            return {"status": "refused", "text": source["error"]["message"]}
        paid = self._ask(f"/v1/sources/{source['id']}/authorise", key + "-charge", opened["token"], {})
        if paid.get("status") != "consumed":
            return {"status": paid.get("failure", "failed"), "text": sale["card"]["pan"]["masked"]}
        return {"status": "approved", "text": sale["card"]["pan"]["masked"]}

    @staticmethod
    def _card(sale: Dict[str, Any]) -> Dict[str, Any]:
        pan, encryption, expiry = sale["card"]["pan"], sale.get("encryption"), sale["card"]["expiry"]
        if encryption:  # what a till should have: no digits but those that the reader lets through
            return {"entry": "encrypted", "scheme": encryption["scheme"], "ksn": encryption["ksn"], "masked": pan["masked"],
                    "tracks": encryption["tracks"]}
        return {"entry": "swiped", "number": pan["number"], "expiry": f"20{expiry[:2]}-{expiry[2:]}"}

    def charges(self) -> List[Dict[str, Any]]:
        return self._ask("/v1/ledger")["charges"]

    def close(self) -> None:
        self._process.terminate()
        self._process.wait(10)
