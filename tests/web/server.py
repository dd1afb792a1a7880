"""A server in a process of its own, to be killed: ``python server.py FOLDER PORT``."""

from __future__ import annotations

import sys

if __name__ == "__main__":
    import uvicorn

    from comoderate.web.app import create_app

    uvicorn.run(create_app(sys.argv[1], load=False), port=int(sys.argv[2]), log_level="error", ws="none")
