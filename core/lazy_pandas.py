"""pandas, loaded when a frame is first made: many a command needs none, and it takes a fifth of a second."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd
else:

    class _Pandas:
        """Stands for the module, and loads it when anything of it is asked for."""

        def __getattr__(self, name: str) -> object:
            import pandas  # noqa: PLC0415 - see above

            return getattr(pandas, name)

    pd = _Pandas()
