"""Columns that a person maps to fields: which fields there are, and what a column's name suggests."""

from collections.abc import Mapping, Sequence
from typing import Any

from db.importers import metric_names, spelling, values
from db.importers.safe_json import FileError, quoted, shown
from db.importers.tables import Table
from db.registry.metrics import METRICS

_EXAMPLES = 3
_FACT = 60

_SPELLINGS = {
    "task": "task board benchmark 과제 태스크",
    "model": "model model_name model_id model_name_or_path variant 모델 모델명 모델_이름",
    "family": "family model_family 계열 모델_계열",
    "architecture": "architecture arch 구조 아키텍처 모델_구조",
    "link": "link url homepage 링크 주소",
    "params": "params parameters num_params n_params num_parameters n_parameters parameter_count parameter_size "
    "파라미터 파라미터_수 매개변수 매개변수_수 모수",
    "language": "language lang 언어",
    "licence": "licence license 라이선스 라이센스",
    "dataset": "dataset data train_data training_data trained_on 데이터 데이터셋 학습_데이터 훈련_데이터",
    "teacher": "teacher teacher_model 교사 교사_모델 선생님",
    "seed": "seed random_seed 시드 난수_시드",
    "train_seconds": "train_seconds train_time training_time train_runtime runtime 학습_시간 훈련_시간",
    "device": "device hardware gpu machine 기기 장치 하드웨어",
    "checkpoint": "checkpoint checkpoint_url weights 체크포인트 가중치",
    "contact": "contact email e_mail 연락처 이메일",
    "notes": "notes note comment comments remarks 비고 메모 참고 설명",
    "example_id": "example_id id idx index guid uid qid question_id pair_id pairid 아이디 번호 예제_번호 "
    "문항_번호 질문_번호",
    "predicted": "predicted prediction predictions pred preds y_pred label_pred pred_label predicted_label "
    "prediction_text predicted_answer 예측 예측값 예측_라벨 예측_답 예측_결과",
    "score": "score prob probability confidence 확률 점수 신뢰도",
}
_FIELD = {spelling: field for field, spellings in _SPELLINGS.items() for spelling in spellings.split()}
PREDICTIONS = ("example_id", "predicted", "score")
"""Fields of a prediction."""
CLAIM = tuple(field for field in _SPELLINGS if field not in PREDICTIONS)
"""Fields of a claim that a column may fill, besides ``metrics.NAME`` and ``training.NAME``."""
_TRAINED = """
    vocab_size vocabulary_size hidden_dim hidden_size embedding_dim embedding_size loss_rate temperature step steps
    epoch epochs lr learning_rate batch_size optimizer optimiser scheduler dropout weight_decay warmup warmup_steps
    warmup_ratio layers num_layers heads num_heads max_length max_seq_length alpha beta gamma patience precision
    tokenizer 어휘_크기 은닉_차원 은닉_크기 임베딩_차원 임베딩_크기 손실_비율 온도 스텝 단계 에폭 에포크 학습률
    배치_크기 최적화 스케줄러 드롭아웃 층 층_수 레이어 레이어_수 최대_길이
"""
_TRAINING = frozenset(_TRAINED.split())


def examples(table: Table) -> list[tuple[str, list[str]]]:
    """Each column with up to three different values from it, cut short, for a person who maps it."""
    columns = []
    for column, cells in zip(table.columns, table.cells, strict=True):
        samples: dict[str, None] = {}
        for cell in cells[:10_000]:
            if not values.is_missing(cell):
                samples[shown(cell if isinstance(cell, str) else str(cell), 80)] = None
            if len(samples) == _EXAMPLES:
                break
        columns.append((column, list(samples)))
    return columns


def guess(columns: Sequence[tuple[str, list[str]]]) -> dict[str, str]:
    """A mapping that the columns' names suggest, English or Korean; columns that suggest nothing are left out.

    Args:
        columns: As ``examples`` gives them. With a column of predictions only the fields of predictions are proposed.
    """
    names = [name for name, _ in columns]
    keys = {name: metric_names.normal(spelling.split_unit(name)[0]) for name in names}
    if any(_FIELD.get(key) == "predicted" for key in keys.values()):
        mapping = {name: _FIELD[key] for name, key in keys.items() if _FIELD.get(key) in PREDICTIONS}
        if "example_id" not in mapping.values() and "column 1" in names:
            mapping["column 1"] = "example_id"
        return _first_of_each(mapping)
    mapping = {}
    passed_over = metric_names.of_validation_beside_test(names)
    # A column of the test split comes before one that may be of the validation split.
    for name, key in sorted(keys.items(), key=lambda pair: metric_names.of_validation(pair[0])):
        field = _FIELD.get(key)
        metric = None if name in passed_over else metric_names.metric_of(name)
        if field in CLAIM:
            mapping[name] = field
        elif name.startswith("training.") and _no_field(name) is None:
            mapping[name] = name
        elif metric:
            mapping[name] = f"metrics.{metric}"
        elif key in _TRAINING and len(name) <= _FACT:
            mapping[name] = f"training.{name}"
    if "model" not in mapping.values():
        named = next((name for name, key in keys.items() if key in ("name", "run_name", "이름")), None)
        if named is not None:
            mapping[named] = "model"
    mapping = _first_of_each(mapping)
    mapping = {name: mapping[name] for name in names if name in mapping}
    metrics = [field.removeprefix("metrics.") for field in mapping.values() if field.startswith("metrics.")]
    return {
        name: field for name, field in mapping.items() if field != "metrics.f1" or not metric_names.of_classes(metrics)
    }


def _first_of_each(mapping: Mapping[str, str]) -> dict[str, str]:
    unique: dict[str, str] = {}
    for name, field in mapping.items():
        if field not in unique.values():
            unique[name] = field
    return unique


def check(table: Table, mapping: Mapping[str, Any]) -> dict[str, str]:
    """A mapping as it can be used: columns that map to nothing are left out.

    Raises:
        SubmissionError: A column is not in the file, a field does not exist, or two columns fill one.
    """
    used: dict[str, str] = {}
    for column, field in mapping.items():
        location = f"mapping of {quoted(column)}"
        if column not in table.columns:
            present = ", ".join(shown(column, 40) for column in table.columns[:20])
            raise FileError(table.name, location, f"the file has no such column; it has {present}.")
        if field is None or field == "":
            continue
        wrong = _no_field(field)
        if wrong:
            raise FileError(table.name, location, wrong)
        if field in used.values():
            raise FileError(table.name, location, f"{field} is filled from another column already.")
        used[column] = field
    return used


def _no_field(field: Any) -> str | None:
    """Why a field cannot be filled; None where it can."""
    if not isinstance(field, str):
        return "a field is named by a text."
    group, _, name = field.partition(".")
    if field in CLAIM or field in PREDICTIONS:
        return None
    if group == "metrics":
        return None if name in METRICS else f"there is no metric {quoted(name)}; such as accuracy, f1, em."
    if group == "training":
        return (
            None if name.strip() and len(name) <= _FACT else f"a fact of training has a name of 1 to {_FACT} letters."
        )
    return (
        f"there is no field {quoted(field)}; there are {', '.join((*CLAIM, *PREDICTIONS))}, metrics.NAME and "
        "training.NAME."
    )
