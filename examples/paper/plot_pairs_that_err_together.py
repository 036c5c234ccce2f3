"""
Pairs that err together
=======================

The second-order bounds of the paper look at pairs of voters: four times the rate at which two
random voters err on the same sample bounds the error of the vote. Two pictures show what they see,
on handwritten digits.
"""

# %%
# A forest and the errors of its pairs
# ------------------------------------
# On the diagonal, how often each tree errs alone; elsewhere, how often two err together. Similar
# trees stand side by side. Two trees err together less often than one errs, because they err on
# different samples. That is why voting helps.

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits

from tandemvote import CertifiedForestClassifier
from tandemvote.displays import ProfileDisplay, TandemDisplay

X, y = load_digits(return_X_y=True)
forest = CertifiedForestClassifier(60, max_samples=0.5, random_state=0).fit(X, y)
display = TandemDisplay(forest.certificate_.counts).plot()
print(display.description)
plt.show()

# %%
# What a bound counts for a sample
# --------------------------------
# Z is the share of trees that err at a sample. The vote can err only where Z is one half or more.
# The first-order bound counts 2 Z for every sample, the second-order bound 4 Z²: less where a few
# trees err, more where nearly all do. Which of the two is smaller depends on the histogram below.

profile = ProfileDisplay(forest.certificate_.votes, forest.weights_).plot()
print(profile.description)
plt.show()

# %%
# From the sample to a guarantee
# ------------------------------
# The bounds add what the sample may hide. For the tandem bound that is more, because two trees
# share fewer samples that neither has seen.

counts = forest.certificate_.counts
print(f"samples per tree: at least {counts.n_min}, per pair: at least {counts.n_min_pairs}")
for name, mean in {
    "first_order": 2 * profile.gibbs_loss,
    "tandem": 4 * profile.tandem_loss,
}.items():
    print(f"{name:12} mean {mean:.3f}   guaranteed {forest.certificate_.bounds[name]:.3f}")
