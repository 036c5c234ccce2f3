"""The experiments of the paper, reproduced: its data sets, forests, tables, figures and findings.

Run it from the root of a clone: ``python -m reproduction --help``. It uses the library and is not
installed with it.

- `datasets`: the paper's 17 data sets, downloaded and checked;
- `experiments`: from a cell (a data set, a forest, a repetition) to its rows;
- `report`: from rows to tables, figures, findings and the comparison with the paper;
- ``paper/``: the paper's own numbers; ``results/``: our rows, and everything rendered from them.
"""
