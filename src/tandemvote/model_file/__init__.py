"""Files that keep a whole certified vote, its voters included."""

from tandemvote.model_file.storage import JOBLIB_WARNING, load_model, model_path, save_model
from tandemvote.model_file.trees import ModelFileError

__all__ = ["JOBLIB_WARNING", "ModelFileError", "load_model", "model_path", "save_model"]
