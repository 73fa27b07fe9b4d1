"""The leaderboard: tasks, answer, filters, table, views, files; and the sections below the table, in Korean."""

BOARD_AREA = "분야"
BOARD_TASK = "과제"
BOARD_AREAS = {
    "sentiment": "감성",
    "inference": "추론",
    "questions": "질의응답",
    "language": "언어",
    "speed": "속도",
    "other": "기타",
    "mini": "미니 말뭉치",
}
BOARD_OF = "{variants}, {runs}."
BOARD_RUNS = ("실행 {n}개", "실행 {n}개")
BOARD_VARIANTS = ("변형 {n}개", "변형 {n}개")
BOARD_ROWS = ("{n}행", "{n}행")
BOARD_SEEDS = ("시드 {n}개", "시드 {n}개")
BOARD_EXAMPLES = ("예제 {n}개", "예제 {n}개")
BOARD_UNITS = {
    "percent": "%",
    "ms": "ms",
    "s": "초",
    "min": "분",
    "bytes": "바이트",
    "per_s": "초당",
    "points": "점",
    "plain": "",
    "count": "",
}
BOARD_POINTS = "{n}점"
BOARD_AND = "{first}, {last}"
BOARD_UP_TO = "{high} 이하"
BOARD_FROM = "{low} 이상"
BOARD_BETWEEN = "{low}~{high}"
BOARD_ONE_SEED = "{score}, 시드 1개"
BOARD_OVER_SEEDS = "{score} ± {spread}, 시드 {n}개 평균"
BOARD_WITH_INTERVAL = "{score} (95% 구간 {ends})"
BOARD_PARAMETERS = "파라미터 {n}개"
BOARD_BEST = {
    "verified": "검증된 것 중 최고",
    "measured": "직접 측정한 것 중 최고",
    "reported": "문서에 실린 것 중 최고",
    "submitted": "제출된 것 중 최고",
}
BOARD_BEST_AMONG = "{among}, {best}"
BOARD_THESE = "아래 {rows} 가운데"
BOARD_SMALLER = "1점 안쪽 차이로 {times}배 작은 모델"
BOARD_BUDGET = "한도"
BOARD_BUDGET_HELP = (
    "디스크 크기나 예제당 시간이 알려져 있고 한도를 넘지 않는 모델만 남깁니다. 위의 답도 그 가운데 최고로 바뀝니다."
)
BOARD_TRADEOFF_ALT = "{rows}의 파라미터 수와 {metric}, 파레토 경계 포함"
BOARD_ALL_TRADEOFFS = "크기와 성능 비교 모두 보기"
BOARD_SEARCH = "검색"
BOARD_SEARCH_HOW = "모델, 교사, 데이터"
BOARD_FILTERS = "조건"
BOARD_FILTERS_ACTIVE = "조건 {n}개"
BOARD_FIELDS = {
    "families": "계열",
    "sources": "출처",
    "statuses": "상태",
    "verified": "검증",
    "devices": "기기",
    "datasets": "학습 데이터",
    "params": "파라미터",
    "latency_ms": "지연 시간",
    "size_bytes": "디스크 크기",
}
BOARD_IS_VERIFIED = {1: "검증됨", 0: "검증되지 않음"}
BOARD_ALL = "전체"
BOARD_ANY = "제한 없음"
BOARD_ENDS = ("{field}, 이상", "이하")
BOARD_REMOVE = "이 조건 지우기: {filter}"
BOARD_EVERY = "모든 실행"
BOARD_COUNT = "전체 {all}행 중 {shown}행"
BOARD_NEWER = "이 화면을 그린 뒤 데이터베이스가 바뀌었습니다."
BOARD_SHOW_NEWER = "새로 보기"
BOARD_COLUMNS = {
    "rank": "순위",
    "model": "모델",
    "params": "파라미터",
    "checkpoint_bytes": "크기",
    "latency_ms_p50": "지연 시간",
    "latency_ms_p95": "지연 시간 p95",
    "peak_memory_bytes": "메모리",
    "train_seconds": "학습 시간",
    "seeds": "시드",
    "spread": "퍼짐",
    "source": "출처",
    "verified": "검증",
    "dataset": "학습 데이터",
    "family": "계열",
    "name": "실린 이름",
    "teacher": "교사",
    "seed": "시드 번호",
    "range": "시드 최저~최고",
    "device": "기기",
    "status": "상태",
    "citation": "인용",
}
BOARD_INTERVAL_HEAD = "95% 구간"
BOARD_MODEL_HELP = "이름을 누르면 실행 기록이 열립니다. 앞의 표시는 색이 계열, 모양이 출처입니다."
BOARD_INTERVAL = "95% 구간 {low}~{high}"
BOARD_NO_INTERVAL = "구간 없음: 채점한 예제 수가 알려져 있지 않습니다"
BOARD_TIE = "{first}~{last}위: 이 행들은 구간이 겹쳐 데이터만으로는 우열을 가릴 수 없습니다."
BOARD_CAPTION = "순위표, {n}행"
BOARD_MISSING = "알려지지 않은 수치"
BOARD_VERIFIED = "검증됨"
BOARD_PARETO = "파레토 경계: 이만큼 작으면서 점수가 더 높은 모델이 이 순위표에 없습니다"
BOARD_KEY = "정렬 순서"
BOARD_SELECT = "고르기:"
BOARD_CHOSEN = "{n}개 고름"
BOARD_COMPARE = "실행 {n}개 비교"
BOARD_OPEN = "열기"
BOARD_CLEAR_CHOICE = "모두 해제"
BOARD_TOO_MANY = "한 번에 여섯 개까지 비교할 수 있습니다."
BOARD_ONE_MORE = "비교하려면 하나 더 고르세요."
BOARD_HINT = "열 제목을 누르면 정렬, Shift와 함께 누르면 정렬 기준 추가."
BOARD_SEED = "시드 {seed}"
BOARD_SHOW_SEEDS = "{model}의 시드 {n}개"
BOARD_SHOWN_COLUMNS = "열"
BOARD_OWN_COLUMNS = "기본 열로"
BOARD_EXPORT = "내보내기"
BOARD_EXPORT_HOW = "지금 순서와 열 그대로, {rows}."
BOARD_EXPORT_HELP = {
    "csv": "저장된 값, 스프레드시트와 프로그램용",
    "parquet": "저장된 값과 그 형식",
    "json": "저장된 값, 없는 값은 null",
    "md": "보이는 그대로의 표",
    "tex": "보이는 그대로의 표, booktabs 패키지용",
}
BOARD_VIEWS = "보기"
BOARD_VIEWS_HOW = "과제, 조건, 순서, 열을 통틀어 보기라고 합니다. 주소에도 담겨 있어 복사한 주소는 같은 화면을 엽니다."
BOARD_VIEW_NAME = "이 보기의 이름"
BOARD_VIEW_SAVE = "저장"
BOARD_VIEW_SAVED = "저장했습니다: {name}"
BOARD_VIEW_DELETE = "삭제"
TWINS_FROM = "{model} (교사 {teacher})"
TWINS_KINDS = {"plain": "증류 없음", "distilled": "증류", "from scratch": "무작위 시작", "pretrained": "사전학습"}
TWINS_PLACES = {False: "위", True: "아래"}
TWINS_COLUMNS = ("모델", "차이", "짝 검정")
TWINS_ALT = "{title}: 크기 {n}가지에서 두 종류의 {metric}"
TWINS_LEAD = "크기 {n}가지에서 {low}~{high}. 짝 검정에서 모든 시드가 더 나은 크기는 {better}가지입니다."
TWINS_LEAD_WORSE = (
    "크기 {n}가지에서 {low}~{high}. 짝 검정에서 모든 시드가 더 나은 크기는 {better}가지, 더 못한 크기는 "
    "{worse}가지입니다."
)
TWINS_NONE = "0"
TWINS_TEACHER = "교사: {teacher}."
TWINS_TEACHERS = "교사: {pairs}."
TWINS_TEACHER_OF = "{model}의 {teacher}"
TWINS_EVERYWHERE = "모든 크기"
TWINS_DIFFER = "{who}: 두 레시피는 {settings}도 서로 다릅니다."
TWINS_SEEDS = "시드 {n}개 중 {k}개에서"
TWINS_SEED = "시드 하나에서"
TWINS_UNTESTED = "{name} 쪽이 {ahead} 앞섬. 공통 예측이 없어 검정하지 못했습니다."
TWINS_SETTLED = "{name} 쪽이 {ahead} 더 낫습니다. {p}."
TWINS_UNCLEAR_ONE = "시드 하나로는 우열을 가릴 수 없습니다. {p}."
TWINS_UNCLEAR = "어느 시드로도 우열을 가릴 수 없습니다. {name} 쪽이 {ahead} 앞섬. {p}."
TWINS_MIXED = "{name} 쪽이 {ahead} 앞서고 {better}개에서 뚜렷이 낫습니다. {p}."
TWINS_MIXED_WORSE = "{name} 쪽이 {ahead} 앞서고 {better}개에서 뚜렷이 낫고 {worse}개에서 뚜렷이 못합니다. {p}."
TWINS_P = "p 범위 {low}~{high}"
TWINS_P_BELOW = "0.0001 미만"
ABLATION_MEASURED = "여기서 잰 결과"
ABLATION_ALT = "증류의 한 부분을 뺐을 때의 차이, 논문과 측정"
ABLATION_AXIS = "뺐을 때의 변화(점)"
ABLATION_COLUMNS = ("뺀 부분", "논문", "측정", "시드별")
ABLATION_KINDS = {"printed": "논문", "measured": "측정", "one seed": "시드 하나"}
ABLATION_PARTS = {
    "minilm-l3-no-kl": ("부드러운 레이블(KL)", "부드러운 레이블(KL)"),
    "minilm-l3-no-cosine": ("은닉 상태(코사인)", "은닉 상태(코사인)"),
    "minilm-l3-no-mlm": ("가린 단어(MLM)", "가린 단어(MLM)"),
    "minilm-l3-random": ("교사의 가중치로 시작", "교사의 가중치로 시작"),
}
ABLATION_WITHOUT = "{part} 제외"
ABLATION_WHOLE = "모든 부분을 쓴 점수: {seeds} 평균 {mean}."
ABLATION_NOTHING = "여기서는 무엇을 빼도 점수를 잃지 않습니다"
ABLATION_WORST = "가장 크게 잃는 것은 {part}: {points}점, {seeds}"
ABLATION_SEEDS = ("시드 1개", "시드 {n}개")
ABLATION_SAME = "; 논문도 같음, {points}"
ABLATION_OTHER = "; 논문에서는 {part}, {points}"
ABLATION_UNCLEAR = "이 시드들로는 영향을 가릴 수 없는 부분: {parts}."
LEARNING_ALT = "모델 {n}개의 {metric}와 학습 예제 수"
LEARNING_AXIS = "학습 예제(로그)"
LEARNING_MAJORITY = "가장 흔한 레이블"
LEARNING_NO_SIZE = "크기 미상"
LEARNING_GAIN = "{examples}로 학습할 때 사전학습한 가중치의 이득: {gain} ({tuned} {score}, {plain} {other})."
LEARNING_GAIN_UNCLEAR = (
    "{examples}로 학습할 때 사전학습한 가중치의 이득: {gain} ({tuned} {score}, {plain} {other}). 다만 구간이 겹쳐 "
    "우열을 가릴 수 없습니다."
)
LEARNING_EARLIER = "{examples}에서 이미 앞섭니다."
LEARNING_NO_GROWTH = "한 크기만으로는 얼마나 느는지 알 수 없습니다."
RUN_WITHDRAWN = "{when}에 철회되어 더 이상 보드에 없는 실행입니다. {reason}"
