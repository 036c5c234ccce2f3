"""
Tutorial 2: from a CSV file to a gate in CI
===========================================

You have a table with a label column. At the end of this tutorial a build fails if the model is not
shown to be good enough. The commands are for a terminal; this page runs each of them with ``run``.
"""

# %%
# The table
# ---------
# A CSV file with one row per sample. The column ``outcome`` is the label. Here are 178 wines with
# 13 measurements each.

import shlex
import subprocess
import sys
import tempfile

import numpy as np
from sklearn.datasets import load_wine

folder = tempfile.mkdtemp()
wine = load_wine(as_frame=True).frame
wine["outcome"] = np.where(wine.pop("target") == 0, "good", "other")
wine.to_csv(f"{folder}/data.csv", index=False)


def run(command):
    """Run a command as in a terminal, and print its output and its exit code."""
    arguments = [sys.executable, "-m", *shlex.split(command)]
    done = subprocess.run(arguments, cwd=folder, capture_output=True, text=True, check=False)
    print(f"$ {command}\n{done.stdout}{done.stderr}exit code {done.returncode}")
    return done.returncode


# %%
# Certify the table
# -----------------
# Twelve small random forests are tested on rows that they were not trained on. One more, the
# referee, is trained on all rows. The bound covers the vote of all of them.

assert run("tandemvote certify data.csv --target outcome") == 0

# %%
# The first line has three numbers: the error rate observed on the test set, the guaranteed error,
# and the error rate of always predicting the most frequent class.
#
# The command rejects mistakes that would make the bound false, such as a column that numbers the
# rows. Each error names the option that fixes it.

# %%
# Keep the model, the certificate and a report
# --------------------------------------------
# ``report.html`` is one file for people who do not run commands. ``verify`` recomputes every number
# of the certificate with other formulas.

assert run("tandemvote certify data.csv --target outcome --model model.skops "
           "--certificate model.json --report report.html") == 0  # fmt: skip
assert run("tandemvote predict model.skops data.csv --output predictions.csv") == 0
assert run("tandemvote verify model.json") == 0

# %%
# Choose the threshold
# --------------------
# Decide which error rate is acceptable **before** you look at the bound. A test set of 36 rows can
# show at best an error rate of 8%, even if the model makes no error:

assert run("tandemvote bounds --errors 0 --samples 36") == 0

# %%
# Close the gate
# --------------
# With ``--max-error`` the exit code is 0 if the bound is at most that number, 3 if it is larger,
# and 2 if the input is wrong. CI systems stop at every exit code other than 0.

assert run("tandemvote certify data.csv --target outcome --max-error 0.01") == 3

# %%
# :doc:`/how-to/ci` has a complete workflow, and lists what a gate must not do. The most important
# rule: do not run the command with other seeds until the gate opens.

# %%
# What a gate requires
# --------------------
# The number of test rows decides how small a threshold can be. Each line shows a number of errors
# on the test set.

import matplotlib.pyplot as plt

from tandemvote.inequalities import clopper_pearson

sizes = np.array([36, 60, 100, 200, 500, 1000])
figure, ax = plt.subplots(figsize=(6.4, 4.4), layout="constrained")
for errors in (0, 3, 10):
    ax.plot(sizes, 100 * clopper_pearson(errors, sizes), "o-", label=f"{errors} errors")
ax.set(xscale="log", yscale="log", xlabel="test rows", ylabel="guaranteed error (%)")
ax.set_xticks([50, 100, 200, 500, 1000], ["50", "100", "200", "500", "1000"])
ax.set_yticks([0.3, 1, 3, 10, 30], ["0.3", "1", "3", "10", "30"])
ax.legend()
plt.show()
