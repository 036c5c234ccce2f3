"""What all tests share: how long and how randomly hypothesis may search."""

import os

from hypothesis import settings

# A slow machine is no failure. Continuous integration draws the same examples every time; elsewhere
# each run looks at new ones.
settings.register_profile("patient", deadline=None)
settings.register_profile("reproducible", deadline=None, derandomize=True)
settings.load_profile("reproducible" if os.environ.get("CI") else "patient")
