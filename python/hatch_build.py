"""Puts the program into the wheel, and says for which platforms it is."""

import os
from typing import Any, Dict

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class Hook(BuildHookInterface):  # type: ignore[type-arg]
    def initialize(self, version: str, build_data: Dict[str, Any]) -> None:
        if version == "editable":
            return
        program = os.environ["SIMSEARCH_PROGRAM"]
        name = "simsearch.exe" if program.endswith(".exe") else "simsearch"
        build_data["force_include"] = {program: f"simsearch/bin/{name}", "../LICENSE": "simsearch/LICENSE"}
        if "NOTICES" in os.environ:
            build_data["force_include"][os.environ["NOTICES"]] = "simsearch/NOTICES"
        build_data["tag"] = f"py3-none-{os.environ['SIMSEARCH_PLATFORMS']}"
        build_data["pure_python"] = False
