"""Fitted models and certified classifiers; scikit-learn begins here.

Public calls: `certify` (with `certify_oob` and `certify_selective`), `committee` and `forest` (the
two classifiers), `split_votes`. Each calls modules of one subject:

- before training: `model_checks` (models that cannot be certified), `parameters` (models and rows
  that an estimator brings along), `groups_and_times` and `splitting` (the rows that test);
- training and prediction: `members` (each model of a committee), `plurality` (their vote and the
  referee), `trees` (the members of a forest, out of bag and audited);
- fitted models: `held_out` (their votes on samples), `training_rows` (were these samples trained
  on?) by a walk through `fitted_parts`, `digest` (is it still the model that was tested?);
- `private_names` (what is used of scikit-learn beyond its public API).
"""
