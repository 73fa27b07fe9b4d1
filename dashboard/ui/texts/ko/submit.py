"""The page that takes somebody's run, in Korean."""

SUBMIT = "제출"
SUBMIT_TITLE = "실행 제출"
SUBMIT_STATE_TITLE = "내 제출"
SUBMIT_LEAD = (
    "제출은 주장입니다. 확인할 수 있는 것은 여기서 확인하고, 확인하지 못한 것은 행에 밝힙니다. 순위표에 오르기 전에 "
    "관리자가 살펴봅니다."
)
SUBMIT_KEPT = "입력한 내용은 제출할 때까지 이 브라우저에 보관됩니다. 파일은 보관되지 않습니다."
SUBMIT_NOT_KEPT = "이 브라우저는 이 페이지의 내용을 보관하지 않습니다. 새로 고치면 양식이 비워집니다."
SUBMIT_RESTORED = "이 브라우저에 보관된 초안을 다시 불러왔습니다. 파일은 보관되지 않으니 다시 추가해 주세요."
SUBMIT_CLEAR = "양식 비우기"
SUBMIT_STEPS = {1: "가지고 있는 것", 2: "사실", 3: "보이는 모습", 4: "제출"}
SUBMIT_FILES = "실행의 파일"
SUBMIT_FILES_HOW = "여러 개도 됩니다. 파일의 내용으로 아래 양식을 채웁니다. 파일이 없으면 바로 사실부터 입력하세요."
SUBMIT_FORMATS = "읽을 수 있는 파일"
SUBMIT_FORMAT = {
    "hugging face": (
        "허깅페이스",
        "all_results.json, trainer_state.json(곡선이 됨), eval_predictions.json, "
        "eval_nbest_predictions.json, 모델 카드나 그 model-index",
    ),
    "trackers": ("실험 기록", "lm-evaluation-harness 결과(JSON), MLflow 실행(JSON, CSV), W&B 기록(CSV)"),
    "tables": (
        "표",
        "한 행이 실행 하나인 결과표, 한 행이 예제 하나인 예측: CSV, TSV, JSON, JSON Lines, Parquet. 열의 "
        "뜻은 직접 고릅니다",
    ),
    "weights": ("파라미터", "safetensors 파일, config.json, card.json: 가중치를 올리지 않고 셉니다"),
    "bundle": ("묶음", "다른 Featherboard에서 내보낸 묶음(.zip)"),
}
SUBMIT_NEVER = "파일 하나에 50 MB까지입니다. 피클(.bin, .pt, .pkl)은 읽을 때 코드가 실행될 수 있어 열지 않습니다."
SUBMIT_UNREAD = "읽지 못한 파일: {name}."
SUBMIT_MAP_FIRST = (
    "{name}: 열의 뜻을 골라 주세요. 실행이라면 모델이나 수치, 예측이라면 예제의 ID와 답이 적어도 있어야 합니다."
)
SUBMIT_LEFT = "읽지 못해 빠지는 파일: {names}."
SUBMIT_APART = "이 파일들은 함께 쓸 수 없습니다."
SUBMIT_NOT_TOGETHER = {
    "differ": "두 파일({one}, {other})의 값이 다릅니다. {field}: {values}. 둘 가운데 하나를 빼 주세요.",
    "rows": "{one}에 여러 행이 있어 {other}의 내용이 어느 행의 것인지 알 수 없습니다. 하나씩 제출해 주세요.",
    "twice": "두 파일({one}, {other})에 같은 것({what})이 들어 있습니다. 실행 하나에는 한 번만 있어야 합니다.",
}
SUBMIT_MANY = "**{n}행.** 아래에서 한꺼번에 확인하며, 공통된 내용은 한 번만 입력합니다."
SUBMIT_UNUSED = "보았으나 쓰지 않은 것: {names}"
SUBMIT_KINDS = {
    "all_results": "Trainer의 수치",
    "trainer_state": "Trainer의 기록",
    "squad_predictions": "SQuAD 질문의 답",
    "squad_nbest": "SQuAD 질문의 답 후보",
    "model_index": "모델 카드",
    "lm_eval": "lm-evaluation-harness 결과",
    "mlflow": "MLflow 실행",
    "wandb": "W&B 기록",
    "predictions": "예측",
    "table": "표",
    "bundle": "순위표의 묶음",
    "safetensors": "safetensors 파일",
    "config": "모델 구성",
}
SUBMIT_ROWS = ("{n}행", "{n}행")
SUBMIT_PREDICTIONS = ("예측 {n}개", "예측 {n}개")
SUBMIT_POINTS = ("곡선의 점 {n}개", "곡선의 점 {n}개")
SUBMIT_COUNTED = "센 파라미터 {n}개({short})"
SUBMIT_COLUMNS = "열의 뜻"
SUBMIT_COLUMNS_HOW = "열마다 파일에 있는 값을 보여 줍니다. “쓰지 않음”으로 둔 열은 빠집니다."
SUBMIT_COLUMNS_MORE = "나머지 열 {n}개는 이름에서 짐작한 대로 받습니다."
SUBMIT_NO_EXAMPLE = "(비어 있음)"
SUBMIT_MEANS = "열의 뜻: {column}"
SUBMIT_MEANS_METRIC = "수치: {name}"
SUBMIT_MEANS_FACT = "학습에 관한 사실"
SUBMIT_MEANS_AS = {"": "쓰지 않음", "example_id": "예측: 예제의 ID", "predicted": "예측: 답", "score": "예측: 확률"}
SUBMIT_FIELDS = {
    "task": "과제",
    "model": "모델",
    "family": "계열",
    "architecture": "구조",
    "link": "링크",
    "params": "파라미터",
    "language": "언어",
    "licence": "라이선스",
    "dataset": "학습 데이터",
    "teacher": "교사 모델",
    "seed": "시드",
    "train_seconds": "학습 시간",
    "device": "기기",
    "checkpoint": "체크포인트",
    "contact": "연락처 (비공개)",
    "notes": "비고",
    "facts": "학습에 관한 다른 사실",
    "metrics": "수치",
    "predictions": "예측",
    "curves": "곡선",
    "drafts": "행",
    "draft": "행",
}
SUBMIT_TOLD = {
    "family": "같은 종류의 모델은 계열과 색이 같습니다.",
    "params": "391170, 391k, 110M처럼 씁니다. 파일에서 세면 잘못 적을 일이 없습니다.",
    "link": "모델을 설명하는 곳입니다. 글자로만 보관하고 가져오지 않습니다.",
    "checkpoint": "가중치가 있는 곳입니다. 글자로만 보관하고 가져오지 않습니다.",
    "teacher": "증류했다면 그 바탕이 된 모델입니다.",
    "train_seconds": "00:49:15, 2시간 49분처럼 쓰거나 초로 씁니다.",
    "device": "학습했거나 시간을 잰 기기입니다.",
    "facts": "한 줄에 하나씩, 이름 = 값으로 씁니다.",
    "contact": "문의할 주소입니다. 화면에도, 내보내는 파일에도, 묶음에도 나오지 않으며 관리자만 봅니다.",
}
SUBMIT_PARTS = {"model": "모델", "score": "수치", "training": "학습", "person": "제출한 사람"}
SUBMIT_TASK = "{area}: {task}"
SUBMIT_TASK_WHICH = "과제 고르기"
SUBMIT_OR_NEW = "고르거나 입력"
SUBMIT_PRIVATE = "공개되지 않으며 관리자만 봅니다."
SUBMIT_COUNT = "파일에서 세기"
SUBMIT_COUNT_HOW = "파일 머리의 모양이나 구성 파일에서 셉니다. 가중치는 올리지 않습니다."
SUBMIT_COUNT_FILE = "safetensors, config.json, card.json 가운데 하나"
SUBMIT_WAS_COUNTED = "파일에서 센 값입니다."
SUBMIT_OWN = " (순위의 기준)"
SUBMIT_UNITS = {
    "percent": "87.84%",
    "ms": "3.2",
    "s": "12.5",
    "bytes": "1565000",
    "per_s": "120",
    "points": "-1.5",
    "plain": "0.42",
    "count": "30",
}
SUBMIT_NO_TASK = "먼저 과제를 고르세요. 순위의 기준이 되는 수치가 정해집니다."
SUBMIT_MORE = "수치 추가"
SUBMIT_MORE_WHICH = "F1, 지연 시간 등"
SUBMIT_ANSWERS = "예측: 없으면 검증할 수 없습니다"
SUBMIT_ANSWERS_HOW = "시험 분할의 예제마다 한 행씩, ID와 모델의 답을 담습니다. 여기서 채점해 적어 주신 수치와 견줍니다."
SUBMIT_ANSWERS_FILE = "CSV, JSON, JSON Lines, Parquet 가운데 하나"
SUBMIT_NO_FACT = "사실이 아니거나 이미 있는 줄: {lines}. 이름 = 값으로 쓰세요."
SUBMIT_DIFFERS = "파일의 값이 입력한 값과 다르며, 입력한 값이 쓰입니다. 파일의 값: {fields}"
SUBMIT_COMMON = "모든 행에 공통"
SUBMIT_COMMON_HOW = "여기 입력한 값이 파일의 값보다 앞섭니다. 비워 두면 파일의 값을 씁니다."
SUBMIT_TABLE = "행"
SUBMIT_SOME_WRONG = "고칠 것이 있는 행: {all}행 가운데 {n}행."
SUBMIT_ALL_RIGHT = "{n}행 모두 제출할 수 있습니다."
SUBMIT_NUMBER = "행"
SUBMIT_WRONG_HEAD = "고칠 것"
SUBMIT_CORRECT = "고칠 행"
SUBMIT_CORRECT_WHICH = "없음"
SUBMIT_OUT = "뺄 행"
SUBMIT_OUT_NONE = "없음"
SUBMIT_UNNAMED = "(이름 없음)"
SUBMIT_ROW = "{n}행"
SUBMIT_WRONG = {
    "needed": "꼭 필요합니다.",
    "finite": "숫자가 필요한데 {given} 값이 들어 있습니다.",
    "infinite": "유한한 숫자가 필요합니다. NaN과 Infinity는 수치가 아닙니다.",
    "number": "숫자가 필요합니다.",
    "whole": "정수가 필요합니다.",
    "between": "{low} 이상 {high} 이하여야 합니다.",
    "percent": "1을 전체로 본 비율이 필요합니다. {percent}%처럼 퍼센트 기호를 붙이거나 {share} 형태로 쓰세요.",
    "share": "0과 1 사이의 비율이나 기호를 붙인 퍼센트가 필요합니다.",
    "duration": "00:49:15, 2시간 49분, 또는 초로 쓴 시간이 필요합니다.",
    "long": "0초 이상 10년 이하의 시간이 필요합니다.",
    "address": "https:// 또는 http://로 시작하는 주소가 필요하며, 그 안에 이름이나 암호가 있으면 안 됩니다.",
    "length": "{n}자입니다. {most}자까지 쓸 수 있습니다.",
    "hidden": "보이지 않는 문자가 들어 있습니다({sign}, {place}번째 자리).",
    "text": "글자가 필요합니다.",
    "entries": "항목이 {n}개입니다. {most}개까지 받습니다.",
    "entry": "항목의 이름이 잘못되었습니다: {told}.",
    "twice": "두 번 나온 이름: {name}.",
    "task": "없는 과제입니다: {given}. 목록에서 고르세요.",
    "metric": "여기에 없는 수치입니다. 비우거나 다른 수치를 추가하세요.",
    "outside": "이 수치가 가질 수 없는 값입니다.",
    "object": "이름과 값의 쌍이 필요합니다.",
    "field": "없는 항목입니다.",
    "one of": "다음 가운데 하나가 필요합니다: {names}.",
    "own": "순위의 기준이 되는 수치가 없습니다.",
    "same row": "{n}행과 같은 내용입니다.",
    "rows": "{n}행입니다. 한 번에 {most}행까지 제출할 수 있습니다.",
}
SUBMIT_FLAGS = {
    "gold": "모든 예제에서 예측이 정답과 같습니다. 관리자가 확인할 것입니다.",
    "same": "예측이 실행 {run}의 것과 똑같습니다. 관리자가 확인할 것입니다.",
    "several": "예측이 실행 {run}을 비롯해 {n}개 더와 똑같습니다. 관리자가 확인할 것입니다.",
}
SUBMIT_NO_PREVIEW = "과제와 모델, 그 수치를 입력하면 순위표에서 이웃한 행 사이에 놓인 모습을 보여 줍니다."
SUBMIT_RANK = "{task}: **{score}**, {n}행 가운데 **{rank}위**."
SUBMIT_ONLY = "{task}: **{score}**, 이 순위표의 첫 행({n}행 가운데 {rank}위)."
SUBMIT_NEIGHBOURS = "위아래에 놓일 행 사이의 모델: {model}"
SUBMIT_SOURCE_HOW = "마름모는 제출, 곧 누군가의 주장이라는 뜻입니다. 검증되면 체크 표시가 붙습니다."
SUBMIT_CURVES = "함께 제출할 곡선: {series}개, 점 {n}개."
SUBMIT_EACH = "행마다 지금 순위표에서 어디에 놓이는지 따로따로 보여 줍니다."
SUBMIT_PLACES = {
    "row": "행",
    "model": "모델",
    "task": "과제",
    "score": "점수",
    "interval": "95% 구간",
    "rank": "순위",
    "of": "전체",
}
SUBMIT_SCORING = "예측을 채점하는 중"
SUBMIT_STATES = {
    "verified": "검증됨.",
    "disagrees": "예측에서 나온 수치가 주장과 다릅니다.",
    "incomplete": "검증되지 않음.",
    "unscored": "검증되지 않음.",
    "no golds": "아직 검증되지 않음.",
    "no predictions": "검증되지 않음.",
}
SUBMIT_WHY = {
    "verified": "예제 {split}개에 모두 답이 있고, 적어 주신 수치가 나옵니다. 채점 기준: {source}.",
    "disagrees": "예제 {split}개를 모두 채점했습니다. 채점 기준: {source}. 두 수치는 다음과 같습니다.",
    "incomplete": "검증되려면 예제 {split}개마다 답이 하나씩 있고 다른 ID가 없어야 합니다. 채점 기준: {source}.",
    "unscored": "여기서 채점할 수 없습니다: {why}.",
    "no golds": "정답이 여기에 없습니다: {why}. 나중에 검증할 수 있습니다.",
    "no predictions": "검증에 쓸 예측이 없습니다. 그래도 제출할 수 있습니다.",
}
SUBMIT_SOURCES = {
    "corpus": "함께 제공되는 말뭉치({what})",
    "run": "실행 {run}에 있는 정답",
    "no split": "다시 채점할 수 있는 단일 분할이 없는 과제",
    "nowhere": "{place}에 {what} 파일이 없고, 정답이 남은 측정 실행도 없음",
    "withheld": "답의 글 없이 온 예측",
    "not here": "여기서 다시 채점하지 않는 수치",
}
SUBMIT_BOTH = "{metric}: 주장 {claimed}, 채점 결과 {found}"
SUBMIT_ALIGNED = (
    "분할의 예제: {split}. 답이 있음: {matched}. 답이 없음: {missing}. 다른 것의 ID: {foreign}. 두 번 이상 나온 ID: "
    "{duplicated}."
)
SUBMIT_WAITS = "관리자가 살펴볼 때까지 기다립니다. 결과를 볼 수 있는 비공개 링크를 드립니다."
SUBMIT_HAND_IN = "제출하기"
SUBMIT_HAND_IN_MANY = "{n}행 제출하기"
SUBMIT_PER_HOUR = ("한 시간에 {n}번", "한 시간에 {n}번")
SUBMIT_PER_DAY = ("하루에 {n}행", "하루에 {n}행")
SUBMIT_LIMITS = "한 사람에게서 받는 양: {limits}까지. 한 파일에 담긴 여러 행은 제출 한 번으로 칩니다."
SUBMIT_NO_LIMITS = "한 파일에 담긴 여러 행은 제출 한 번으로 칩니다."
SUBMIT_FILES_FIRST = "파일들을 함께 쓸 수 없습니다. 위에서 하나를 빼 주세요. 아무것도 제출되지 않았습니다."
SUBMIT_FIRST = "먼저 고칠 것: {fields}."
SUBMIT_BUSY = "데이터베이스가 잠시 사용 중입니다. 바뀐 것은 없고 입력한 내용도 그대로 있으니 다시 시도해 주세요."
SUBMIT_TOO_MUCH = "지금은 더 받을 수 없습니다. 입력한 내용은 그대로 있습니다."
SUBMIT_REFUSED = "받지 못했습니다. 입력한 내용은 그대로 있습니다."
SUBMIT_TAKEN = "제출했습니다"
SUBMIT_TAKEN_ROWS = ("관리자의 확인을 기다립니다.", "{n}행이 관리자의 확인을 기다립니다.")
SUBMIT_LINK = "비공개 링크"
SUBMIT_LINK_ONCE = (
    "지금 한 번만 보여 드리며 다시 보낼 수 없으니 꼭 복사해 두세요. 이 링크가 있으면 누구나 결과를 보고 제출을 "
    "거둘 수 있습니다."
)
SUBMIT_NEEDED = "과제, 모델, 순위의 기준이 되는 수치는 꼭 필요합니다. 나머지는 그 수치가 어떤 값인지 알려 줍니다."
SUBMIT_SEE = "열어 보기"
SUBMIT_ANOTHER = "다른 실행 제출"
SUBMIT_UNKNOWN = "이 링크에 해당하는 제출이 없습니다."
SUBMIT_UNKNOWN_HOW = "링크가 끝까지 복사되었는지 살펴보세요. 다른 순위표에 낸 제출은 그곳에서만 열립니다."
SUBMIT_TO_FORM = "양식으로"
SUBMIT_WHEN = "제출 시각: {when} UTC."
SUBMIT_STATUS = {
    "waiting": "대기 중",
    "accepted": "순위표에 오름",
    "rejected": "받지 않음",
    "merged": "합쳐짐",
    "withdrawn": "거두어들임",
}
SUBMIT_MEANING = {
    "waiting": "관리자가 아직 결정하지 않았습니다.",
    "accepted": "관리자가 순위표에 올렸습니다.",
    "rejected": "관리자가 받지 않았습니다. 고쳐서 다시 제출할 수 있습니다.",
    "merged": "다른 행이 이 행을 함께 나타냅니다.",
    "withdrawn": "거두어들여 순위표에 없습니다.",
}
SUBMIT_REASON = "이유: {reason}"
SUBMIT_TO_RUN = "실행 열기"
SUBMIT_STATE_COLUMNS = {"row": "행", "model": "모델", "task": "과제", "state": "상태", "reason": "이유", "run": "실행"}
SUBMIT_WITHDRAW = "거두기"
SUBMIT_WITHDRAW_HOW = "거둔 행은 대기열이나 순위표에서 빠집니다. 되돌릴 수 없으며, 필요하면 새로 제출하세요."
SUBMIT_WITHDRAW_WHICH = "거둘 행"
SUBMIT_WITHDRAW_WHY = "이유 (순위표에서 읽힐 수 있음)"
SUBMIT_WITHDRAW_SURE = "네, 거두겠습니다"
SUBMIT_WITHDRAW_DO = "거두기"
SUBMIT_WITHDRAWN = "거두었습니다."
SUBMIT_LINK_KEEP = "이 페이지의 주소가 비공개 링크입니다. 잘 보관하고, 제출을 거두어도 되는 사람에게만 알려 주세요."
SUBMIT_LOOK_AGAIN = "다시 보기"
