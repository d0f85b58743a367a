"""Models that find names in texts, where somebody has installed one; see requirements-text.txt.

Nothing is fetched: a model that is not on this machine is an error. Texts stay in this process.
"""

from typing import Any

import numpy as np
import pyarrow as pa

from core.coding import BoolArray
from core.errors import AuditInputError
from core.settings.reading import ModelName
from core.words import input_error

_GLINER = "urchade/gliner_multi_pii-v1"
_LABELS = ["person"]
_LEAST_SCORE = 0.6
_LONGEST = 2_000  # letters of a text that a model is given at a time


def named_by_model(model: ModelName, texts: pa.Array) -> BoolArray:
    """Return which texts name a person, as an installed model says; none where no model is asked for.

    AuditInputError: the model or its package is not installed.
    """
    if model == "none":
        return np.zeros(len(texts), dtype=np.bool_)
    finds = _gliner() if model == "gliner" else _presidio()
    return np.array([any(map(finds, _parts(each))) for each in texts.to_pylist()], dtype=np.bool_)


def _parts(words: str) -> list[str]:
    return [words[start : start + _LONGEST] for start in range(0, len(words), _LONGEST)]


def _gliner() -> Any:
    """Return what tells whether GLiNER sees a person in a text; the model has to be in the local cache."""
    try:
        from gliner import GLiNER  # noqa: PLC0415 - where it is installed
    except ImportError:
        raise _not_installed("gliner") from None
    try:
        model = GLiNER.from_pretrained(_GLINER, local_files_only=True)
    except (OSError, ValueError):  # its files are not there, or not all
        raise input_error(
            "The model {model} is not on this machine; nothing is fetched while an audit runs.", model=_GLINER
        ) from None
    return lambda words: bool(model.predict_entities(words, _LABELS, threshold=_LEAST_SCORE))


def _presidio() -> Any:
    """Return what tells whether Presidio sees a person in a text, with installed spaCy models."""
    try:
        import spacy  # noqa: PLC0415 - where it is installed
        from presidio_analyzer import AnalyzerEngine  # noqa: PLC0415
        from presidio_analyzer.nlp_engine import NlpEngineProvider  # noqa: PLC0415
    except ImportError:
        raise _not_installed("presidio-analyzer") from None
    installed = sorted(spacy.util.get_installed_models())
    if not installed:  # Presidio would fetch one
        raise AuditInputError("No spaCy model is on this machine; nothing is fetched while an audit runs.")
    languages = {name.partition("_")[0]: name for name in installed}
    engine = NlpEngineProvider(
        nlp_configuration={
            "nlp_engine_name": "spacy",
            "models": [{"lang_code": code, "model_name": name} for code, name in languages.items()],
        }
    ).create_engine()
    analyzer = AnalyzerEngine(nlp_engine=engine, supported_languages=list(languages))

    def finds(words: str) -> bool:
        return any(
            each.score >= _LEAST_SCORE
            for code in languages
            for each in analyzer.analyze(text=words, language=code, entities=["PERSON"])
        )

    return finds


def _not_installed(package: str) -> AuditInputError:
    return input_error(
        "{package} is not installed; requirements-text.txt lists what it needs.", package=package
    )
