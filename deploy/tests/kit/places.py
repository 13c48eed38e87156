"""Where things are: the tree, what `deploy/check` has installed, the programs.

Invariant: `deploy/check` is the one who installs and builds; whatever it has made is named here by
the variables that it sets.
"""

from __future__ import annotations

import os
from pathlib import Path

DEPLOY = Path(__file__).resolve().parents[2]
ROOT = DEPLOY.parent

# Where deploy/check has put the tools.
TOOLS = Path(os.environ.get("HANDFOOT_DEPLOY_TOOLS", ROOT / "target" / "deploy"))
# Where the built programs are.
PROGRAMS = Path(os.environ.get("HANDFOOT_DEPLOY_PROGRAMS", ROOT / "target" / "release"))
