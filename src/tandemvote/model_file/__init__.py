"""Files that keep a whole certified vote, its voters included."""

from tandemvote.model_file.contents import ModelFileError, encoder_of, vote_of
from tandemvote.model_file.storage import JOBLIB_WARNING, load_model, save_model

__all__ = [
    "JOBLIB_WARNING",
    "ModelFileError",
    "encoder_of",
    "load_model",
    "save_model",
    "vote_of",
]
