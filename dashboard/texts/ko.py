"""게시판의 모든 글 (한국어). 이름은 ``dashboard.texts.en``과 같다."""

# The names of figures and tasks of one installation come from the store in English; these stand in for them here.

APP = "Featherboard"

LEADERBOARD = "순위표"
RUN = "실행 기록"
DEVICES = "기기별 속도"
FAILURES = "어디서 틀리나"
ABOUT = "안내"

SOURCES = {"reported": "문서 인용", "measured": "직접 측정", "submitted": "제출"}
SOURCE_HELP = {
    "reported": "문서에 실린 수치이며 출처를 밝힙니다. 여기서 다시 채점하지는 않았습니다.",
    "measured": "이 프로그램이 학습하고 채점했습니다. 어떤 기기였는지는 실행 기록에 있습니다.",
    "submitted": "누군가 제출한 수치입니다. 여기서 측정하지는 않았습니다.",
}
VERIFIED_MARK = "✓"
STATUS = {
    "running": "진행 중",
    "finished": "완료",
    "failed": "실패",
    "interrupted": "중단됨",
    "diverged": "발산",
}

MINI_LABEL = "미니"
MINI_NOTE = (
    "미니 말뭉치: Featherboard를 위해 새로 쓴 예문 수백 개입니다. 학습과 채점이 제대로 도는지는 보여 주지만 "
    "모델의 실력은 거의 말해 주지 않으므로, 정식 데이터와 나란히 순위를 매기지 않습니다."
)

TERMS = {
    "Interval": (
        "구간",
        "점수의 95% 신뢰구간입니다. 정답 비율에는 윌슨 구간을 씁니다. 시험 데이터를 새로 뽑는다면 점수가 이만큼 "
        "흔들립니다. 채점한 예제 수를 모르면 구간도 없습니다.",
    ),
    "Rank and tie": (
        "순위와 동순위",
        "2-4 같은 순위는 구간이 서로 겹쳐 데이터만으로는 우열을 가릴 수 없다는 뜻입니다. 순위는 거르기 전의 "
        "전체 행을 두고 매깁니다.",
    ),
    "Reported, measured, submitted": (
        "문서 인용, 직접 측정, 제출",
        "수치가 어디서 왔는지를 나타냅니다. 문서에 실린 것, 이 프로그램이 잰 것, 누군가 제출한 것입니다. 문서에서 "
        "온 행에는 출처가 붙습니다.",
    ),
    "Verified": (
        "검증됨",
        "실행이 남긴 예측을 여기서 다시 채점한 결과입니다. 해당 분할의 모든 예제가 한 번씩 있고, 점수가 소수 둘째 "
        "자리까지 같아야 합니다.",
    ),
    "Mini": ("미니", MINI_NOTE),
    "Pareto frontier": (
        "파레토 경계",
        "점수와 파라미터 수 둘 다에서 앞서는 다른 모델이 없는 모델들입니다. 이 선에서 벗어난 모델을 고르면 품질이나 "
        "크기 가운데 하나를 얻는 것 없이 손해 봅니다.",
    ),
    "Parameters": (
        "파라미터",
        "구조나 체크포인트에서 계산한 값이며 손으로 적지 않습니다. 문서의 값이 다르면 둘 다 보여 줍니다.",
    ),
    "Latency": (
        "지연 시간",
        "실행한 기기의 CPU에서 예제 하나를 처리하는 시간이며 토큰화는 뺀 값입니다. 스레드 수와 당시의 부하는 실행 "
        "기록에 있습니다.",
    ),
    "Precision": (
        "정밀도",
        "모델이 계산에 쓰는 수의 형식입니다. float32는 학습할 때의 형식, bfloat16은 비트를 절반만 쓰는 형식, int8은 "
        "가중치를 8비트로 두고 층마다 입력을 8비트로 반올림하는 방식입니다.",
    ),
    "Citation": (
        "출처",
        "001_2c0027d85ad7badd.txt 같은 파일 이름은 Featherboard의 바탕이 된 문서입니다. 그 표는 "
        "db/results/reported에 있습니다. 논문과 모델 카드는 이름으로 인용합니다.",
    ),
    "Variant": (
        "변형",
        "구조와 크기가 하나로 정해진 모델입니다. 모든 실행을 보겠다고 하지 않는 한 변형, 출처, 데이터마다 한 행씩 "
        "보여 줍니다. 인용과 제출은 가장 좋은 것을, 여러 설정으로 측정한 것은 검증 점수가 가장 좋은 것을 고릅니다.",
    ),
    "Seeds": (
        "시드",
        "같은 설정과 같은 데이터로 난수 시작점만 바꾼 실행들입니다. 한 행으로 묶어 점수는 평균, 퍼짐(±)은 시드 "
        "사이의 표준편차, 비용은 중앙값을 보여 줍니다. 구간은 시드별 구간의 평균이며 시드가 늘어도 좁아지지 "
        "않습니다. 모두 같은 예제로 채점하기 때문입니다. 이름을 누르면 점수가 중앙값인 시드가 열립니다.",
    ),
    "Paired test": (
        "짝 검정",
        "정확 맥니머 검정입니다. 두 실행 가운데 하나만 맞힌 예제들이 우연히 그렇게 갈릴 수 있는지 봅니다. 같은 "
        "예제에서 두 모델을 견주므로 구간이 겹쳐도 우열을 가릴 수 있습니다. 시드마다 따로 검정하며, 예제를 함께 쓰기 "
        "때문에 하나로 합치지 않습니다.",
    ),
}

HELP = {
    "model": "이름을 누르면 실행 기록이 열립니다.",
    "rank": TERMS["Rank and tie"][1],
    "interval": TERMS["Interval"][1],
    "verified": TERMS["Verified"][1],
    "seeds": TERMS["Seeds"][1],
    "paired": TERMS["Paired test"][1],
    "params": TERMS["Parameters"][1],
    "latency": TERMS["Latency"][1],
    "precision": TERMS["Precision"][1],
    "variant": TERMS["Variant"][1],
    "failures": "같은 지표를 분할의 일부에서 잰 것입니다. 예제가 적은 부분은 구간이 넓습니다.",
    "size": "디스크에 놓인 가중치, 설정, 토크나이저의 크기입니다.",
    "train": "실행한 기기에서 학습에 걸린 시간입니다.",
    "source": TERMS["Reported, measured, submitted"][1],
    "dataset": "알려져 있는 경우, 모델이 학습한 데이터입니다.",
}

EMPTY_BOARD = "이 과제의 실행이 아직 없습니다."
EMPTY_BOARD_HOW = (
    "여기서 레시피를 학습하거나, 다른 설치본이 내보낸 묶음을 가져오면 생깁니다. 학습할 수 있는 레시피를 보는 명령과 "
    "가져오는 명령입니다."
)
EMPTY_BOARD_COMMANDS = "featherboard list recipes\nfeatherboard db import BUNDLE.zip"
TABLE_HINT = "이름을 누르면 실행 기록이 열리고, 열 제목을 누르면 정렬됩니다. 줄표(–)는 알려지지 않은 수치입니다."
SEEDS_HINT = "시드가 여럿인 점수는 평균이며, 이름을 누르면 점수가 중앙값인 시드가 열립니다."
NO_MATCH = "조건에 맞는 행이 없습니다."
NO_MATCH_HOW = "조건을 넓히거나 모두 지워 보세요."
CLEAR = "조건 지우기"

TWINS = {"distillation": "증류의 효과", "pretraining": "사전학습의 효과"}
TWINS_LINK = "그림과 검정"
_TWINS_HOW = (
    "점수는 둘 다 가진 시드의 평균과 그 평균의 95% 구간입니다. 짝 검정은 같은 예제를 보므로 구간이 겹쳐도 두 모델을 "
    "가릴 수 있습니다."
)
TWINS_HOW = {
    "distillation": "한 줄이 한 구조입니다. 같은 데이터를 레이블만으로 학습한 것과 교사 모델을 두고 학습한 것을 "
    f"견줍니다. {_TWINS_HOW}",
    "pretraining": "한 줄이 한 구조입니다. 같은 데이터로, 무작위 가중치에서 시작한 것과 다른 글을 먼저 읽은 "
    f"가중치에서 시작한 것을 견줍니다. {_TWINS_HOW}",
}
TWINS_EXAMPLES = "누가 무엇을 맞혔나"

COMPARE = "비교"
COMPARE_CHOOSE = "실행을 골라 주세요."
COMPARE_CHOOSE_HOW = "같은 게시판의 실행을 예제 하나하나 견주어 누가 무엇을 맞혔는지 봅니다."
COMPARE_FEW = "예측을 남긴 실행이 둘 이상인 게시판이 아직 없습니다."
COMPARE_FEW_HOW = "학습하면 예측이 남습니다. 실행 두 개를 만드는 명령입니다."
COMPARE_OTHER_DATA = "서로 다른 데이터로 학습했거나 채점한 실행들입니다. 차이가 모델에서만 온다고 볼 수 없습니다."
COMPARE_WITHHELD = (
    "Featherboard에 딸려 온 실행의 답은 글로 보여 주지 않습니다. 그 글은 데이터 제공자의 것이기 때문입니다. 무엇을 "
    "맞혔는지는 남아 있으며, 실행 기록에 적힌 명령으로 답을 다시 만들 수 있습니다."
)
COMPARE_GROUPS = {
    "only_first": "{first}만 맞힘",
    "only_second": "{second}만 맞힘",
    "neither": "둘 다 틀림",
    "both": "둘 다 맞힘",
}

ABLATION = "증류의 각 부분이 하는 일"
ABLATION_LINK = "그림과 시드"
ABLATION_HOW = (
    "세 층짜리 학생 모델을 MiniLM에서 다섯 가지로 증류합니다. 손실 셋을 다 쓴 것, 하나씩 뺀 것, 무작위 가중치에서 "
    "시작한 것입니다. 각각 MultiNLI와 SQuAD로 미세조정하고 정확도와 F1의 평균을 점수로 삼습니다. 같은 시드에서 손실을 "
    "다 쓴 것과의 차이를 평균과 시드 사이의 표준편차로 보여 줍니다. 논문에 실린 차이는 DistilBERT의 GLUE 아홉 과제 "
    "평균이므로 크기가 아니라 순서를 견주세요."
)
ABLATION_EMPTY = (
    "아직 여기서 잰 것이 없어 논문의 차이만 보입니다. 영어 글, MultiNLI, SQuAD가 든 폴더 DIR에서 다음 명령으로 "
    "잴 수 있습니다."
)
ABLATION_PARTLY = "아직 재지 않은 부분이 있습니다. 다음 명령은 있는 것은 건너뛰고 없는 것만 합니다."

LEARNING = "학습 예제가 늘면 얼마나 좋아지나"
LEARNING_LINK = "그림과 크기별 점수"
LEARNING_HOW = (
    "선 하나가 레시피 하나입니다. 한 학습 분할에서 같은 시드로 뽑은 일부를 같은 횟수만큼 되풀이해 학습했습니다. 막대는 "
    "시험 분할의 95% 구간이고 ±는 그 절반입니다. 위의 표에서는 크기마다 다른 데이터로 칩니다. 점선은 학습 예제 수가 "
    "알려지지 않은 점수입니다."
)
LEARNING_ONE_SIZE = (
    "아직 한 크기만 재서 얼마나 느는지는 알 수 없습니다. MultiNLI가 든 폴더 DIR에서 다음 명령으로 나머지를 잽니다."
)
LEARNING_PARTLY = "크기가 둘이 안 되는 선이 있습니다. 다음 명령은 이미 한 것은 건너뛰고 없는 것만 합니다."

NO_DATABASE = "데이터베이스가 아직 없습니다."
NO_DATABASE_HOW = "다음 명령이 문서에 실린 결과를 모두 담아 만들어 줍니다."
STORE_TROUBLE = "지금은 데이터베이스를 읽을 수 없습니다."
RELOAD = "다시 시도"

NO_RUN = "실행을 골라 주세요."
NO_RUN_HOW = "순위표에서 열거나, 최근에 측정한 것 가운데에서 고르세요."
UNKNOWN_RUN_HOW = "다른 데이터베이스의 실행일 수 있습니다. 여기 있는 것은 순위표에 나옵니다."

SEEDS = "다른 시드"
SEEDS_MEAN = "순위표에는 이 평균이 나오고, 누르면 점수가 중앙값인 시드가 열립니다."
SEEDS_MEDIAN = "(중앙값)"
SEEDS_ALONE = "점수가 있는 시드가 둘이 안 되어 아직 평균이 없습니다."

NO_CURVES = "이 실행에는 곡선이 없습니다."
NO_CURVES_REPORTED = "문서에 실린 행입니다. 곡선이 있더라도 그 문서의 그림으로만 있습니다."
NO_METRICS = "이 실행에는 기록된 수치가 없습니다."
STOPPED_RUN = "끝나기 전에 멈춘 실행입니다. 그때까지 쓴 것은 남아 있습니다. 실행하던 곳에서 다음 명령으로 이어 갑니다."
LIVE_RUN = "지금 진행 중입니다. 이 페이지가 몇 초마다 새로 읽습니다."

DEVICES_QUESTION = "같은 모델이 기기에 따라 얼마나 빠른가?"
DEVICES_HOW = (
    "같은 기기에서 float32로 돌린 BERT-base보다 몇 배 빠른지를 나타내므로 기기끼리 견줄 수 있습니다. 실제 시간은 "
    "표에 있습니다. 빈 표시는 문서 인용, 채운 표시는 직접 측정입니다."
)
DEVICES_NO_REFERENCE = "BERT-base를 float32로 잰 기기가 아직 없어 배수가 없습니다. 시간은 아래에 있습니다."
DEVICES_TIMES = "같은 기기에서 float32로 돌린 BERT-base보다 몇 배 빠른지입니다."
DEVICES_TIME = "측정한 것은 질문 하나의 중앙값, 문서가 전체 시간을 적은 것은 그 전체 시간입니다."
DEVICES_MEMORY = "이 모델만 올린 프로세스가 가장 많이 쓴 메모리이며 라이브러리까지 포함합니다."
DEVICES_SIZE = "보관하는 정밀도 그대로의 safetensors 파일 크기입니다."
DEVICES_START = "새 프로세스를 시작해 첫 답이 나올 때까지의 시간입니다."
DEVICES_LOAD = "재는 동안 가장 높았던 평균 부하입니다. 스레드 수보다 크면 시간이 실제보다 깁니다."
DEVICES_TIMINGS = "한 기기의 모든 측정"
DEVICES_EMPTY = "아직 측정한 기기가 없습니다."
DEVICES_EMPTY_HOW = (
    "첫 명령은 실행한 기기에서 무작위 가중치로 모델의 속도를 재므로 내려받는 것이 없습니다. 다른 기기에서 만든 묶음은 "
    "둘째 명령으로 가져옵니다."
)
DEVICES_EMPTY_COMMANDS = (
    "featherboard bench --device-name 'Raspberry Pi 5, 8 GB' --output pi.zip\nfeatherboard db import pi.zip"
)

ABOUT_TITLE = "이 게시판이 보여 주는 것"
ABOUT_LEAD = (
    "Featherboard는 노트북이나 라즈베리 파이에 들어가는 작은 언어 모델을 견줍니다. 점수마다 얼마나 확실한지, 행마다 "
    "어디서 온 수치인지를 밝히고, 품질 옆에 비용을 함께 둡니다."
)
ABOUT_TERMS = "용어"
ABOUT_MARKS = "표시"
ABOUT_MARKS_HOW = (
    "색은 계열을 뜻합니다. 빈 동그라미는 문서 인용, 채운 동그라미는 직접 측정, 마름모는 제출입니다. 회색 선은 파레토 "
    "경계입니다."
)
ABOUT_DATABASE = "이 데이터베이스"

# 순위표: 과제, 답, 조건, 표, 보기, 파일, 그리고 표 아래의 글.
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
TWINS_KINDS = {
    "plain": "증류 없음",
    "distilled": "증류",
    "from scratch": "무작위 시작",
    "pretrained": "사전학습",
}
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

TASKS = {
    "nsmc": (
        "한국어 감성",
        "이 한국어 영화평은 긍정인가, 부정인가?",
        "공식 NSMC 시험 분할의 영화평 50,000개에 대한 정확도.",
    ),
    "squad": (
        "영어 질의응답",
        "질문의 답은 이 글의 어디에 있는가?",
        "SQuAD 1.1 공식 규칙에 따른 정확 일치와 F1, 개발 분할의 질문 10,570개.",
    ),
    "squad-deck": (
        "라즈베리 파이 5의 질의응답",
        "답은 이 글의 어디에 있고, 작은 컴퓨터는 그것을 찾는 데 얼마나 걸리는가?",
        "소문자로 바꾼 단어 집합의 F1과 정확 일치. 발표 자료의 코드가 채점한 방식이며 공식 규칙이 아닙니다.",
    ),
    "korquad": (
        "한국어 질의응답",
        "질문의 답은 이 한국어 글의 어디에 있는가?",
        "KorQuAD 1.0 공식 규칙에 따른 정확 일치와 글자 단위 F1, 개발 분할의 질문 5,774개.",
    ),
    "korquad-articles": (
        "한국어 질의응답, 문서별",
        "배울 질문이 적을 때, 직접 만든 작은 BERT에 사전학습은 얼마나 도움이 되는가?",
        "KorQuAD 개발 파일의 112~139번 문서에서 KorQuAD 1.0 공식 규칙으로 잰 정확 일치와 글자 단위 F1. 0~111번 문서와 "
        "TyDi QA 한국어로 배웁니다. KorQuAD 개발 분할의 점수와 견줄 수 없습니다.",
    ),
    "korquad-span": (
        "처음부터 배운 한국어 질의응답",
        "KorQuAD에서 직접 만든 작은 BERT에 사전학습은 얼마나 도움이 되는가?",
        "답의 시작과 끝 위치를 맞힌 비율(둘을 함께 셈). 답 102개는 눈으로 확인했습니다.",
    ),
    "mnli": (
        "영어 추론",
        "첫 문장에서 둘째 문장이 따라 나오는가, 어긋나는가, 둘 다 아닌가?",
        "MultiNLI dev matched의 문장 쌍 9,815개에 대한 정확도.",
    ),
    "glue": (
        "GLUE",
        "한 모델이 영어 과제 아홉 가지를 얼마나 잘하는가?",
        "개발 분할에서 잰 아홉 점수의 평균, 실린 그대로.",
    ),
    "imdb": (
        "IMDb",
        "이 긴 영어 영화평은 긍정인가, 부정인가?",
        "IMDb 시험 분할의 영화평 25,000개에 대한 정확도.",
    ),
    "inference-time": (
        "추론 시간",
        "한 번 다 돌리는 데 얼마나 걸리고, 파라미터는 몇 개인가?",
        "CPU에서 배치 1로 GLUE 과제 하나를 다 도는 데 걸린 초, 실린 그대로.",
    ),
    "distil-ablation": (
        "증류 절제 실험",
        "DistilBERT의 증류에서 무엇이 가장 중요한가?",
        "손실 하나, 또는 교사에서 가져온 초깃값을 뺐을 때 GLUE 점수의 변화.",
    ),
    "english-text": (
        "가린 단어",
        "이 영어 글에서 가려진 단어는 무엇인가?",
        "읽은 적 없는 문서에서 15%를 가린 토큰을 정확히 맞힌 비율.",
    ),
    "korean-text": (
        "가린 단어, 한국어",
        "이 한국어 글에서 가려진 단어는 무엇인가?",
        "읽은 적 없는 문서에서 15%를 가린 토큰을 정확히 맞힌 비율. 토큰은 모델마다의 어휘를 따르므로 어휘가 같은 "
        "모델끼리 견줄 수 있습니다.",
    ),
    "device-speed": (
        "기기의 속도",
        "토큰 384개짜리 질문 하나가 이 기기에서 얼마나 걸리는가?",
        "CPU에서 배치 1로, 시험한 스레드를 다 써서 잰 호출 한 번의 중앙값. 시간은 내용에 좌우되지 않으므로 무작위 "
        "토큰을 씁니다. 품질은 보지 않습니다.",
    ),
    "reviews-ko-mini": (
        "한국어 감성, 미니",
        "영화나 상품에 대한 이 한국어 후기는 긍정인가, 부정인가?",
        "딸려 온 미니 말뭉치의 시험 후기 200개에 대한 정확도. 작동 확인용이며 성능 평가가 아닙니다.",
    ),
    "nli-en-mini": (
        "영어 추론, 미니",
        "첫 문장에서 둘째 문장이 따라 나오는가, 어긋나는가, 둘 다 아닌가?",
        "딸려 온 미니 말뭉치의 시험 문장 쌍 300개에 대한 정확도. 작동 확인용이며 성능 평가가 아닙니다.",
    ),
    "qa-ko-mini": (
        "한국어 질의응답, 미니",
        "답은 이 한국어 글의 어디에 있는가?",
        "딸려 온 미니 말뭉치의 시험 질문 80개에 대한 정확 일치와 F1. 작동 확인용이며 성능 평가가 아닙니다.",
    ),
    "qa-en-mini": (
        "영어 질의응답, 미니",
        "답은 이 글의 어디에 있는가?",
        "딸려 온 미니 말뭉치의 시험 질문 80개에 대한 정확 일치와 F1. 작동 확인용이며 성능 평가가 아닙니다.",
    ),
    "korean-text-mini": (
        "가린 단어, 한국어, 미니",
        "이 한국어 글에서 가려진 단어는 무엇인가?",
        "딸려 온 미니 말뭉치의 몇 문단에서 가린 토큰을 정확히 맞힌 비율. 작동 확인용이며 성능 평가가 아닙니다.",
    ),
    "english-text-mini": (
        "가린 단어, 미니",
        "이 영어 글에서 가려진 단어는 무엇인가?",
        "딸려 온 미니 말뭉치의 몇 문단에서 가린 토큰을 정확히 맞힌 비율. 작동 확인용이며 성능 평가가 아닙니다.",
    ),
}
"""과제마다 이름, 질문, 채점 방법."""

_GLUE = {
    "cola": "CoLA", "mnli": "MNLI", "mrpc": "MRPC", "qnli": "QNLI", "qqp": "QQP", "rte": "RTE", "sst2": "SST-2",
    "stsb": "STS-B", "wnli": "WNLI",
}  # fmt: skip

METRICS = {
    "accuracy": ("정확도", "옳게 답한 예제의 비율입니다."),
    "accuracy_dedup": ("정확도(중복 제외)", "학습 분할에 같은 글이 없는 시험 예제에서 잰 정확도입니다."),
    "accuracy_mismatched": (
        "정확도(mismatched)",
        "학습 분할에 없는 장르의 문장 쌍에서 잰 정확도입니다. 가진 파일이 그 분할의 일부이면 실행 기록에 "
        "적혀 있습니다.",
    ),
    "accuracy_majority": ("다수 레이블의 정확도", "학습 분할에서 가장 잦은 레이블만 답할 때의 점수입니다."),
    "macro_f1": ("매크로 F1", "레이블마다의 F1을 빈도와 상관없이 평균한 값입니다."),
    "log_loss": ("로그 손실", "정답 레이블 확률의 음의 로그를 평균한 값입니다."),
    "validation_accuracy": ("검증 정확도", "체크포인트를 고르려고 학습 분할에서 떼어 둔 부분의 정확도입니다."),
    "masked_accuracy": ("맞힌 가린 단어", "떼어 둔 글에서 가린 토큰을 정확히 맞힌 비율입니다."),
    "masked_loss": ("가린 단어의 손실", "떼어 둔 글에서 가린 토큰 확률의 음의 로그를 평균한 값입니다."),
    "validation_masked_accuracy": ("맞힌 가린 단어(검증)", "체크포인트를 고르려고 떼어 둔 글에서 잰 같은 값입니다."),
    "next_accuracy": (
        "이어지는 글 판별",
        "떼어 둔 글의 쌍(절반은 지어낸 쌍)에서 둘째 글이 첫째에 이어지는지 옳게 말한 비율입니다.",
    ),
    "tokens_per_s": ("초당 읽은 토큰", "채점을 빼고 학습이 1초에 읽은 토큰 수입니다."),
    "em": ("정확 일치", "공식 규칙으로 다듬은 답이 정답과 같은 질문의 비율입니다."),
    "f1": ("F1", "공식 규칙에 따른 답과 정답의 겹침입니다."),
    "em_seed": ("정확 일치(발표 자료 방식)", "발표 자료의 코드처럼, 소문자로 바꾼 답이 정답 하나와 같은 비율입니다."),
    "f1_seed": ("F1(발표 자료 방식)", "발표 자료의 코드처럼, 소문자로 바꾼 단어 집합의 겹침입니다."),
    "span_accuracy": ("구간 정확도", "384토큰으로 자른 글에서 답의 시작과 끝 토큰을 맞힌 비율(둘을 함께 셈)입니다."),
    "answered": ("맞힌 질문", "눈으로 확인한 질문 가운데 맞힌 비율입니다."),
    "failed": ("틀린 질문", "살펴본 질문 가운데 답이 정확히 맞지 않은 것의 수입니다."),
    "eval_loss": ("평가 손실", "평가 분할의 손실입니다. 답을 글에서 찾는 과제는 시작과 끝의 손실을 더합니다."),
    "train_loss": ("학습 손실", "마지막 에폭의 학습 손실입니다."),
    "start_accuracy": ("시작 정확도", "마지막 학습 에폭에서 시작 위치를 맞힌 비율입니다."),
    "end_accuracy": ("끝 정확도", "마지막 학습 에폭에서 끝 위치를 맞힌 비율입니다."),
    "glue_score": ("GLUE 점수", "GLUE 아홉 과제의 평균, 실린 그대로입니다."),
    **{f"glue_{key}": (name, f"{name}의 점수, 실린 그대로입니다.") for key, name in _GLUE.items()},
    "glue_delta": ("GLUE 점수의 변화", "한 부분을 뺐을 때 온전한 증류와의 차이입니다."),
    "inference_s": ("추론 시간", "문서에 적힌, 한 번 다 도는 데 걸린 초입니다."),
    "seconds_per_question": ("질문당 초", "추론 시간을 질문 수로 나눈 값입니다."),
    "latency_ms_p50": ("지연 시간(중앙값)", "예제 하나에 걸리는 시간입니다. 호출의 절반은 이보다 빠릅니다."),
    "latency_ms_p95": ("지연 시간(p95)", "예제 하나에 걸리는 시간입니다. 호출의 95%는 이보다 빠릅니다."),
    "latency_ms_p99": ("지연 시간(p99)", "예제 하나에 걸리는 시간입니다. 호출의 99%는 이보다 빠릅니다."),
    "questions_per_s": ("초당 질문", "384토큰 질문을 하나씩 처리할 때 1초에 답하는 수입니다."),
    "peak_memory_bytes": (
        "최대 메모리",
        "모델을 올리고 답하는 동안 프로세스가 가장 많이 쓴 메모리이며 라이브러리까지 포함합니다.",
    ),
    "load_seconds": ("시작 시간", "새 프로세스를 시작해 첫 답이 나올 때까지이며 라이브러리를 읽는 시간도 듭니다."),
    "batch64_ms_p50": ("배치 64(중앙값)", "예제 64개 묶음에 걸리는 시간입니다."),
    "batch64_ms_p95": ("배치 64(p95)", "예제 64개 묶음에 걸리는 시간입니다. 95%는 이보다 빠릅니다."),
    "examples_per_s": ("초당 예제", "64개씩 묶어 평가할 때의 처리량입니다."),
    "latency_threads": ("측정 스레드", "시간을 잴 때 쓴 프로세서 스레드 수입니다."),
    "latency_load": ("측정 때의 부하", "재기 직전의 시스템 부하입니다. 스레드 수보다 크면 시간이 실제보다 깁니다."),
    "checkpoint_bytes": ("디스크 크기", "가중치, 설정, 토크나이저의 바이트 수입니다."),
    "unk_rate": ("모르는 토큰", "시험 토큰 가운데 어휘에 없는 것의 비율입니다."),
    "train_examples": ("학습 예제", "체크포인트를 고르려고 떼어 둔 것까지 포함한 학습 분할의 예제 수입니다."),
    "best_epoch": ("최적 에폭", "검증 점수로 골라 남긴 체크포인트의 에폭입니다."),
    "acc85_step": ("85% 도달 단계", "정확도가 처음 85%를 넘은 단계입니다."),
}
"""지표마다 이름과 설명."""
