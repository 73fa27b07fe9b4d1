"""The page of moderators, in Korean."""

MODERATION = "제출 심사"
MODERATE_LEAD = "제출된 결과는 운영자가 보드에 올릴 때까지 여기서 기다립니다. 어떤 것도 지워지지 않습니다."
MODERATE_KEY = "운영자 토큰"
MODERATE_ENTER = "대기열 열기"
MODERATE_LEAVE = "나가기"
MODERATE_WRONG = "운영자 토큰이 아닙니다."
MODERATE_WAITED = "틀린 토큰을 넣으면 다음 응답이 늦어집니다."
MODERATE_CHANGED = "들어온 뒤에 토큰이 바뀌었습니다."
MODERATE_LOGIN = "로그인"
MODERATE_LOGIN_AT = "로그인: {name}"
MODERATE_LOGIN_FAILED = "로그인하지 못했습니다."
MODERATE_LOGOUT = "로그아웃"
MODERATE_NOT_ALLOWED = "이곳의 운영자가 아닙니다: {email}. 운영자는 비밀 설정의 `moderators` 목록에 적습니다."
MODERATE_UNCONFIRMED = "로그인 제공자가 확인하지 않은 주소이므로 아무것도 열 수 없습니다: {email}"
MODERATE_NO_ADDRESS = "전자 우편 주소가 없는 계정"
MODERATE_SHORT = "설정된 토큰이 {least}자보다 짧아 아무것도 결정할 수 없습니다."
MODERATE_UNREADABLE = "운영자 토큰을 읽을 수 없어 아무것도 결정할 수 없습니다."
MODERATE_NONE = "아직 운영자가 없습니다."
MODERATE_NONE_HOW = "운영자가 생길 때까지 제출은 기다립니다. {least}자 이상의 비밀을 만들어 보드를 시작하십시오."
MODERATE_NONE_FILE = (
    "또는 `.streamlit/secrets.toml`에 적습니다. 계정으로 로그인할 사람도 그곳에 적으며, 제공자 설정인 `[auth]` 절이 "
    "함께 있어야 합니다."
)
MODERATE_STATES = {
    "waiting": "대기",
    "accepted": "승인",
    "rejected": "반려",
    "merged": "병합",
    "withdrawn": "철회",
    "all": "전체",
    "unverified": "검증 표시 없음",
}
MODERATE_STATE_N = "{state} {n}"
MODERATE_STATE = "상태"
MODERATE_SEARCH = "검색"
MODERATE_SEARCH_HINT = "모델, 과제, 파일, 사유, ID"
MODERATE_WAITING = ("{n}건이 {when} UTC부터 기다립니다.", "{n}건이 기다립니다. 가장 오래된 제출: {when} UTC.")
MODERATE_NOTHING_WAITS = "기다리는 제출이 없습니다."
MODERATE_NONE_FOUND = "조건에 맞는 제출이 없습니다."
MODERATE_CUT = "오래된 {shown}건만 보입니다. 나머지는 검색해서 보십시오."
MODERATE_FLAGS_CUT = "주의 표시는 오래된 {n}건까지만 계산합니다."
MODERATE_LOOKING = "예측을 살펴보는 중"
MODERATE_OLDEST = "가장 오래된 제출 보기: {name}"
MODERATE_COLUMNS = {
    "model": "모델",
    "task": "과제",
    "score": "점수",
    "params": "파라미터",
    "predictions": "예측",
    "check": "확인",
    "flags": "주의",
    "via": "경로",
    "when": "제출(UTC)",
    "together": "묶음",
    "training": "학습 설정",
    "state": "상태",
    "reason": "사유",
    "decided": "결정(UTC)",
}
MODERATE_TABLE = "제출 {n}건, 고르면 열립니다"
MODERATE_NO_FILE = "함께 낸 묶음"
MODERATE_VIA = {"form": "양식", "cli": "명령줄", "api": "HTTP 서비스", "quack": "다른 컴퓨터"}
MODERATE_CHECK = {
    "verified": "검증됨",
    "disagrees": "수치 다름",
    "incomplete": "불완전",
    "unscored": "채점 불가",
    "no golds": "정답 없음",
    "no predictions": "–",
}
MODERATE_BATCHES = "함께 제출된 것"
MODERATE_BATCH = "{file}: {all}건 가운데 {waiting}건 대기"
MODERATE_BATCH_OPEN = "이 묶음만 보기"
MODERATE_BATCH_CLOSE = "모든 묶음 보기"
MODERATE_BATCH_ACCEPT = "{n}건 모두 승인"
MODERATE_BATCH_REJECT = "{n}건 모두 반려"
MODERATE_BATCH_SURE = {"accept": "{n}건을 보드에 올립니다: {names}.", "reject": "{n}건을 반려합니다: {names}."}
MODERATE_AND_MORE = "{names} 외 {n}건"
MODERATE_BATCH_FLAGGED = ("그 가운데 {n}건에 주의 표시가 있습니다.", "그 가운데 {n}건에 주의 표시가 있습니다.")
MODERATE_BATCH_YES = {"accept": "예, {n}건을 승인합니다", "reject": "예, {n}건을 반려합니다"}
MODERATE_BATCH_NO = "아니요"
MODERATE_BATCH_DOING = "{done}/{n} 처리"
MODERATE_BATCH_DONE = {"accept": "승인했습니다: {n}건.", "reject": "반려했습니다: {n}건."}
MODERATE_BATCH_LEFT = ("{n}건은 그대로 두었습니다: {why}", "{n}건은 그대로 두었습니다: {why}")
MODERATE_FLAGS = {
    "right": "모든 예제에서 예측이 정답과 같습니다.",
    "run": "예측이 다른 실행과 완전히 같습니다. 실행: {id}.",
    "runs": "예측이 다른 실행과 완전히 같습니다. 실행: {id} 외 {n}건.",
    "row": "다른 제출과 내용이 같습니다. 제출: {id}({state}).",
    "answers": "예측이 다른 제출과 완전히 같습니다. 제출: {id}({state}).",
}
MODERATE_BACK = "대기열"
MODERATE_BEFORE = "이전"
MODERATE_AFTER = "다음"
MODERATE_PLACE = "{place}/{n}번째"
MODERATE_CAME = "{when} UTC 제출, {via}"
MODERATE_PREVIEW = "보드에 올렸을 때의 모습"
MODERATE_RANK = "{rows}행 가운데 순위 {rank}, 점수 {score}"
MODERATE_RANK_RANGE = "{rows}행 가운데 순위 {rank}, 점수 {score}({low}~{high})"
MODERATE_PREVIEW_COLUMNS = ("", "모델", "점수")
MODERATE_PREVIEW_ROWS = ("위", "이 제출", "아래")
MODERATE_BADGE = {True: "검증 표시와 함께", False: "검증 표시 없이"}
MODERATE_REPORT = "예측으로 확인한 것"
MODERATE_REPORTS = {
    "verified": "분할의 예제 {split}개에 모두 답했고, 수치가 주장과 같습니다.",
    "disagrees": "분할의 예제 {split}개에 모두 답했지만, 수치가 주장과 다릅니다.",
    "incomplete": "예측이 분할 전체를 다루지 않아 검증 표시를 달 수 없습니다.",
    "unscored": "이 예측은 여기서 채점할 수 없습니다.",
    "no golds": "정답이 여기에 없어 채점하지 못했습니다. 검증 표시는 나중에 달 수 있습니다.",
    "no predictions": "예측이 함께 오지 않아 다시 채점할 수 없습니다.",
}
MODERATE_COUNTS = ("분할", "받은 행", "답한 예제", "빠진 예제", "다른 분할", "중복")
MODERATE_COUNTS_ALT = "예측과 분할의 대조"
MODERATE_GOLDS = "채점에 쓴 정답: {told}."
MODERATE_TOLD = "이유: {told}."
MODERATE_FIGURES = "수치"
MODERATE_FIGURE_COLUMNS = ("지표", "주장", "여기서 확인", "95% 구간", "판정")
MODERATE_AGREES = "일치"
MODERATE_DIFFERS = "다름, 확인값에서 주장값을 뺀 값: {n}"
MODERATE_UNCHECKED = "확인하지 않음"
MODERATE_UNCLAIMED = "주장 없음"
MODERATE_EXISTING = "같은 모델의 행"
MODERATE_EXISTING_NONE = "이 보드에는 같은 모델의 행이 없습니다."
MODERATE_EXISTING_COLUMNS = ("행", "출처", "학습 데이터", "파라미터", "점수", "이 제출과 비교")
MODERATE_SAME_PARAMS = "파라미터 같음"
MODERATE_OTHER_PARAMS = "파라미터 다름: 제출 {own}, 기존 {other}"
MODERATE_UNKNOWN_PARAMS = "기존 파라미터 모름"
MODERATE_EXISTING_SHOWN = "모두 {n}행이며, 점수가 가까운 것만 보입니다."
MODERATE_NO_PARAMS = "제출에 파라미터 수가 없어 비교할 수 없습니다."
MODERATE_SAME_SCORE = "점수 같음"
MODERATE_OTHER_SCORE = "점수 {n}"
MODERATE_NO_SCORE = "기존 점수 없음"
MODERATE_CURVE_ALT = "제출된 {title} 곡선, 가로축: {axis}"
MODERATE_ANSWERS = "예측 {all}개 가운데 처음 {n}개"
MODERATE_ANSWER_COLUMNS = ("예제", "예측", "확률")
MODERATE_HISTORY = "처리 기록"
MODERATE_HISTORY_COLUMNS = ("시각(UTC)", "누가", "무엇을", "내용")
MODERATE_ACTORS = {"moderator": "운영자", "submitter": "제출자", "system": "자동 처리"}
MODERATE_ACTIONS = {
    "submitted": "제출",
    "accepted": "승인",
    "rejected": "반려",
    "merged": "병합",
    "withdrawn": "철회",
    "verified": "다시 검증",
}
MODERATE_DETAILS = {
    "reason": "사유: {told}",
    "run_id": "실행: {told}",
    "merged_into": "병합된 곳: {told}",
    "verification": "{told}",
    "predictions": "예측 수: {told}",
}
MODERATE_FACTS = "제출 내용"
MODERATE_FIELDS = {
    "model": "모델",
    "family": "계열",
    "architecture": "구조",
    "params": "파라미터",
    "language": "언어",
    "licence": "라이선스",
    "dataset": "학습 데이터",
    "teacher": "교사 모델",
    "seed": "시드",
    "train_seconds": "학습 시간",
    "device": "기기",
    "link": "링크",
    "checkpoint": "체크포인트",
    "contact": "연락처(운영자만 봄)",
    "filename": "파일",
    "submission": "제출 ID",
}
MODERATE_PARAMS_FROM = {"typed": "직접 입력", "safetensors": "safetensors에서 셈", "config": "설정 파일에서 셈"}
MODERATE_NOTES = "비고"
MODERATE_DECIDE = "결정"
MODERATE_WAYS = {"accept": "승인", "reject": "반려", "merge": "병합", "withdraw": "철회"}
MODERATE_ACCEPT_HOW = "‘제출’ 출처로 보드에 올립니다({badge})."
MODERATE_DO = {
    "accept": "승인하고 보드에 올리기",
    "reject": "이 사유로 반려하기",
    "merge": "고른 행에 병합하기",
    "withdraw": "철회하기",
}
MODERATE_REASON = "제출자가 읽을 사유"
MODERATE_REASON_OPTIONAL = "제출자가 읽을 사유(선택)"
MODERATE_REASONS_FROM = "자주 쓰는 사유에서 시작하기"
MODERATE_REASONS = (
    "예측으로 계산한 수치가 주장과 다릅니다. 둘을 확인하고 다시 제출해 주십시오.",
    "예측이 분할 전체를 다루지 않습니다. 모든 예제의 답을 하나씩 제출해 주십시오.",
    "이미 보드에 있는 행입니다.",
    "예측이 다른 실행의 예측과 완전히 같습니다.",
    "어떤 모델인지 알 수 없습니다. 링크나 구조를 적어 주십시오.",
    "적어 주신 것과 다른 분할이나 과제의 수치입니다.",
    "실제 실행이 아니라 시험 삼아 제출한 것으로 보입니다.",
)
MODERATE_REASON_MISSING = "반려에는 사유가 필요합니다. 바뀐 것은 없습니다."
MODERATE_INTO = "대신할 행"
MODERATE_INTO_RUN = "{name}, {score}, {source}, 실행 {id}"
MODERATE_INTO_WAITING = "{name}, {score}, 대기 중인 제출 {id}"
MODERATE_INTO_NONE = "같은 과제에 병합할 다른 행이 없습니다."
MODERATE_INTO_MISSING = "대신할 행을 고르십시오. 바뀐 것은 없습니다."
MODERATE_MERGE_HOW = "제출자는 고른 행으로 안내되고, 이 제출의 실행은 보드에서 내려갑니다."
MODERATE_WITHDRAW_HOW = "대기열이나 보드에서 내려가며, 데이터베이스에는 남습니다."
MODERATE_DECIDED = {
    "accepted": "{when} UTC에 승인했습니다.",
    "rejected": "{when} UTC에 반려했습니다.",
    "merged": "{when} UTC에 병합했습니다.",
    "withdrawn": "{when} UTC에 철회했습니다.",
}
MODERATE_WHY = "사유: {reason}"
MODERATE_TO_RUN = "실행 보기"
MODERATE_TO_OTHER = "대신하는 제출 보기"
MODERATE_DONE = {
    "accept": "승인했습니다: {name}.",
    "reject": "반려했습니다: {name}.",
    "merge": "병합했습니다: {name}.",
    "withdraw": "철회했습니다: {name}.",
}
MODERATE_FAILED = "처리하지 못했습니다: {name}."
MODERATE_MEANWHILE = "그사이 다른 사람이 결정했습니다. {name}: {state}. 이 결정은 반영되지 않았습니다."
MODERATE_WRITTEN = "적어 둔 사유:"
MODERATE_UNVERIFIED_NONE = "예측이 있는 제출 실행에는 모두 검증 표시가 있습니다."
MODERATE_UNVERIFIED = (
    "예측이 있는 제출 실행 {n}건에 검증 표시가 없습니다. 그사이 정답이 생겼을 수 있습니다.",
    "예측이 있는 제출 실행 {n}건에 검증 표시가 없습니다. 그사이 정답이 생겼을 수 있습니다.",
)
MODERATE_VERIFY = "검증"
MODERATE_VERIFY_ALL = "모두 검증"
MODERATE_VERIFYING = "예측을 채점하는 중"
MODERATE_VERIFIED = "{name}: {told}"
