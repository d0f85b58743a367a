"""`python -m benchmarks.demos` writes the files in `demo/` anew."""

from benchmarks.demos import made
from core.demo import FOLDER

for path, data in made():
    (FOLDER / path).parent.mkdir(parents=True, exist_ok=True)
    (FOLDER / path).write_bytes(data)
