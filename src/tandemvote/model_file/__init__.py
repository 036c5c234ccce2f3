"""Files that keep a whole certified vote, its voters included."""

from tandemvote.model_file.keeping import JOBLIB_WARNING, load_model, model_path, save_model
from tandemvote.model_file.soundness import ModelFileError

__all__ = ["JOBLIB_WARNING", "ModelFileError", "load_model", "model_path", "save_model"]
