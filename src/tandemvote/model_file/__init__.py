"""Files that keep a whole certified classifier, its models included."""

from tandemvote.model_file.contents import ModelFileError, classifier_of, encoder_of
from tandemvote.model_file.storage import JOBLIB_WARNING, load_model, save_model

__all__ = [
    "JOBLIB_WARNING",
    "ModelFileError",
    "classifier_of",
    "encoder_of",
    "load_model",
    "save_model",
]
