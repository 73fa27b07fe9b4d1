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

# 비교 화면.
COMPARE_CHOOSE = "실행을 두 개에서 여섯 개까지 골라 주세요."
COMPARE_CHOOSE_HOW = (
    "같은 게시판의 실행들을 나란히 놓고 수치, 설정, 곡선을 견줍니다. 예측이 남아 있으면 누가 무엇을 맞혔는지도 봅니다."
)
COMPARE_FEW = "이 게시판에는 예측을 남긴 실행이 둘이 되지 않습니다."
COMPARE_FEW_HOW = "수치와 설정은 비교할 수 있지만 예제 하나하나는 볼 수 없습니다. 학습하면 예측이 남습니다."
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

# 실행 하나의 페이지.
RUN_TO_BOARD = "순위표로"
RUN_ABOVE = "순위표에서 바로 위의 행"
RUN_BELOW = "순위표에서 바로 아래의 행"
RUN_PLACE = "{runs}행 가운데 {place}번째"
RUN_WHOLE_NAME = "전체 이름"
RUN_VERIFIED = "검증됨"
RUN_COMPARE = "비교: {name}"
RUN_COMPARE_HELP = "이 게시판에서 가장 좋은 다른 모델과 나란히 봅니다."
RUN_CARD = "모델 카드"
RUN_CARD_HELP = "구간이 딸린 수치, 만든 방법, 한계, 재현 명령을 담은 영어 Markdown 파일입니다."
RUN_RANGE = "{low}~{high}"
RUN_NO_INTERVAL = "구간 없음"
RUN_TILES = {
    "params": "파라미터",
    "size": "디스크 크기",
    "latency": "지연 시간(중앙값)",
    "train": "학습 시간",
}
RUN_PRINTED = "문서에는 {params}"
RUN_TIMING = "CPU 스레드 {threads}개, 부하 {load}"
RUN_DURATIONS = {
    "s": "{s}초",
    "min": "{min}분 {s}초",
    "h": "{h}시간 {min}분",
}
RUN_ABOUT = {"s": "{s}초", "min": "{min}분", "h": "{h}시간 {min}분"}
RUN_LEFT = "약 {time} 남음"
RUN_LEFT_AT_MOST = "길어야 약 {time} 남음. 검증 점수가 더 오르지 않으면 일찍 끝납니다"
RUN_EPOCH_OF = "{epochs}에폭 가운데 {epoch}에폭"
RUN_TRAINED = "모든 에폭을 마치고 채점하는 중입니다."
RUN_LAST_SIGN = "마지막 신호: {when} UTC."
RUN_DIVERGED = "학습이 발산하여 손실이나 수치가 숫자가 아니게 되었습니다. 그때까지의 숫자는 남아 있습니다."

RUN_SEED_STATE = "시드 {seed}: {state}"
RUN_SEED_THIS = "{told}, 이 실행"
RUN_OVER_SEEDS = "시드 {n}개의 평균 {mean} ± {spread}"
RUN_SEEDS_FROM = "{over}, 최저 {least}, 최고 {most}."
RUN_SIBLINGS = "같은 변형의 다른 실행"
RUN_SIBLING_SEED = "{name}, {source}, 시드 {seed}: {score}"
RUN_TEACHERS = "교사 모델"
RUN_TEACHER_ELSEWHERE = "{teacher} (이 게시판에는 실행이 없습니다)"
RUN_STUDENTS = "학생 모델"
RUN_STUDENT_BEST = "{model}: {score}, 실행 {runs}개 가운데 최고"
RUN_MORE = "순위표에 {n}개 더 있음"

RUN_CURVES = "곡선"
RUN_AXIS = "가로축"
RUN_AXES = {"epoch": "에폭", "step": "단계", "time": "시간"}
RUN_TIME_AXIS = {"s": "학습 시간(초)", "min": "학습 시간(분)", "h": "학습 시간(시간)"}
RUN_LOG = "로그 눈금"
RUN_SMOOTHING = "평활"
RUN_SMOOTHINGS = {"raw": "원래 값", "some": "부드럽게", "much": "더 부드럽게"}
RUN_CHARTS = {
    "loss": "손실",
    "accuracy": "정확도",
    "rate": "학습률",
    "pretraining": "사전학습 손실",
    "parts": "손실의 구성",
    "tokens": "초당 토큰",
}
CURVE_NAMES = {
    "train_loss": "학습 손실",
    "train_accuracy": "학습 정확도",
    "validation_loss": "검증 손실",
    "validation_accuracy": "검증 정확도",
    "validation_f1": "검증 F1",
    "train_start_accuracy": "시작 정확도(학습)",
    "train_end_accuracy": "끝 정확도(학습)",
    "learning_rate": "학습률",
    "pretrain_loss": "사전학습 손실",
    "kl_loss": "부드러운 레이블(KL)",
    "mlm_loss": "가린 단어(MLM)",
    "next_loss": "이어지는 글",
    "masked_accuracy": "맞힌 가린 단어(학습)",
    "next_accuracy": "이어지는 글 판별(학습)",
    "tokens_per_s": "초당 읽은 토큰",
    "cosine_loss": "은닉 상태(코사인)",
}
RUN_CURVE_ALT = "{name}, {title}, 가로축: {axis}"

RUN_METRICS = "지표"
RUN_METRIC_COLUMNS = {"metric": "지표", "value": "값", "interval": "95% 구간", "n": "예제 수"}
RUN_METRICS_ALT = "수치 {n}개"
RUN_PARTS_ALT = "{facet} 기준의 수치, {n}행"
RUN_FAILS_LEAD = "{facet} 기준: “{weak}” {low}, “{strong}” {high}."
RUN_FACETS = {
    "question word": "의문사",
    "answer length": "답의 길이",
    "text length": "글의 길이",
    "genre": "장르",
}
RUN_PART_RANGE = "{low}~{high}단어"
RUN_PART_OVER = "{low}단어 초과"
RUN_PART_WORDS = {"one": "{n}단어", "many": "{n}단어"}
RUN_PART_OTHER = "그 밖"
RUN_CONFUSION = "혼동 행렬"
RUN_CONFUSION_ALT = "정답 레이블과 예측 레이블: {told}"
RUN_CONFUSION_TOLD = "정답 {gold}, 예측 {predicted}: {n}"
RUN_GOLD = "정답"
RUN_PREDICTED = "예측"
RUN_LABELS = {
    "negative": "부정",
    "positive": "긍정",
    "entailment": "함의",
    "neutral": "중립",
    "contradiction": "모순",
}
RUN_HARDEST = "확신하고 틀린 예제"
RUN_HARDEST_HELP = (
    "틀린 답 가운데 모델이 가장 높은 확률을 준 것들입니다. 레이블이 잘못되었거나 두 가지로 읽히는 글인 경우가 많습니다."
)
RUN_HARDEST_TOLD = "예제 {n}개의 답 가운데, 틀렸으면서 가장 확신한 것들입니다."
RUN_HARDEST_COLUMNS = {
    "example": "예제",
    "text": "글",
    "gold": "정답",
    "predicted": "예측",
    "probability": "확률",
}
RUN_HARDEST_ALT = "틀린 답 {n}개, 확신이 큰 순서"

RUN_ORIGIN = "출처와 환경"
RUN_FACTS = {
    "citation": "출처",
    "dataset": "학습 데이터",
    "split": "채점한 분할",
    "teacher": "교사 모델",
    "device": "기기",
    "code": "코드",
    "data_hash": "데이터 해시",
    "libraries": "라이브러리",
    "started": "시작",
    "run": "실행 번호",
    "licence": "라이선스",
    "model": "모델",
    "architecture": "구조",
}
RUN_REPRODUCE = "재현 명령"
RUN_CONFIGURATION = "설정"
RUN_NO_CONFIGURATION = "문서에 이 행의 설정이 실려 있지 않습니다."
RUN_FIND = "설정 찾기"
RUN_FOUND_NONE = "이 글자가 든 설정이나 값이 없습니다."
RUN_SECTIONS = {
    "": "일반",
    "model": "모델",
    "tokenizer": "토크나이저",
    "data": "데이터",
    "train": "학습",
    "pretrain": "사전학습",
    "distill": "증류",
    "qa": "질의응답",
    "adapter": "어댑터",
    "text": "글",
    "triple": "삼중 손실",
    "vocabulary": "어휘",
}
RUN_FILES = "파일과 해시"
RUN_FILE_COLUMNS = {"kind": "종류", "path": "파일", "bytes": "크기", "sha256": "SHA-256 앞부분"}
RUN_FILES_ALT = "파일 {n}개"
RUN_FILES_HOW = "전체 해시입니다. `sha256sum --check`에 그대로 넣을 수 있습니다."
RUN_DATA_HOW = "읽은 데이터와 레시피의 해시입니다."

# 방문자가 읽는 저장소 오류.
NOT_FOUND = "그런 실행이나 게시판이 여기에 없습니다."
STORE_ERRORS = {
    "StoreBusyError": "다른 프로그램이 쓰는 중입니다. 잃은 것은 없으며 보통 몇 초 안에 풀립니다.",
    "StoreVersionError": "다른 판의 Featherboard로 만든 데이터베이스입니다. 건드리지 않았습니다.",
    "StoreDamagedError": "파일이 손상되었거나 데이터베이스가 아닙니다. 건드리지 않았습니다.",
    "FeatherboardError": "바뀐 것은 없습니다.",
}

# 기기별 속도 페이지.
DEVICES_COLUMNS = {
    "machine": "기기",
    "source": "수치의 출처",
    "model": "모델",
    "precision": "정밀도",
    "times": "속도(배)",
    "time": "시간",
    "condition": "조건",
    "params": "파라미터",
    "memory": "최대 메모리(MB)",
    "size": "디스크(MB)",
    "start": "시작(초)",
    "citation": "출처",
    "threads": "스레드",
    "tokens": "토큰",
    "batch": "배치",
    "p50_ms": "중앙값(ms)",
    "p95_ms": "95% 분위(ms)",
    "p99_ms": "99% 분위(ms)",
    "per_s": "초당 예제",
    "calls": "호출 수",
    "load_average": "부하",
    "celsius": "온도(°C)",
    "clock_mhz": "클록 속도(MHz)",
}
DEVICES_SPEED_ALT = "모델 {n}개의 기기별 속도, BERT-base의 몇 배인지"
DEVICES_TABLE_ALT = "속도, 메모리, 크기, {n}행"
DEVICES_TIMINGS_ALT = "측정 {n}건, 기기: {machine}"
DEVICES_CONDITION = {"one": "토큰 {tokens}개, 스레드 {threads}개", "many": "토큰 {tokens}개, 스레드 {threads}개"}
DEVICES_AGAINST = "{student} 대 {reference}"
DEVICES_AGAINST_ON = "{machine}에서 {times}배({source})"
DEVICES_AGAINST_ALL = "속도가 {parts}입니다."
DEVICES_AND = ", 그리고 "
DEVICES_A = "{machine}"
DEVICES_FASTEST = "가장 빠른 측정값"
DEVICES_FASTEST_IS = (
    "{machine}의 {model}({precision}), {condition}에 {time}. {reference}(float32)의 {times}배 속도입니다."
)
DEVICES_CORES = {"one": "코어 {n}개", "many": "코어 {n}개"}
DEVICES_GIB = "메모리 {n} GiB"
DEVICES_FACTS = "{parts}. 측정일 {date}."
COMPARE_BOARD = "게시판"
COMPARE_RUNS = "실행 (첫 번째가 A)"
COMPARE_RUNS_HELP = "고른 순서대로 여섯 개까지 놓입니다. 입력하면 검색됩니다."
COMPARE_PLACEHOLDER = "모델이나 실행의 이름"
COMPARE_CHANGE = "실행 추가·제거"
COMPARE_FIND = "이름으로 찾기"
COMPARE_MANY = "실행 {all}개 가운데 점수가 높은 {shown}개만 고를 수 있습니다. 다른 실행은 검색해 주세요."
COMPARE_TAKE = "예측이 있는 상위 {count}개 비교하기"
COMPARE_ONE_MORE = "하나만 더 고르면 비교할 수 있습니다."
COMPARE_SEED = "시드 {seed}"
COMPARE_NO_PREDICTIONS = "예측 없음"
COMPARE_UNKNOWN = (
    "이 데이터베이스에서 실행 하나로 특정되지 않는 ID입니다: {ids}. 다른 데이터베이스의 실행일 수 있습니다."
)
COMPARE_TOO_MANY = "실행은 여섯 개까지만 비교할 수 있습니다. 제외한 실행: {names}."
COMPARE_TASKS = "서로 다른 과제의 실행들입니다. 한 과제의 수치로 다른 과제를 말할 수 없습니다. {runs}."
COMPARE_TASKS_HOW = "한 과제의 실행만 고르거나, 아래에서 남길 과제를 정해 주세요."
COMPARE_KEEP = "이 과제의 실행 {count}개만 남기기: {task}"
COMPARE_TITLE_TWO = "{first} 대 {second}"
COMPARE_TITLE = "실행 {count}개 비교"
COMPARE_OTHER = {
    "trained": "학습 데이터: {values}.",
    "content": "데이터 이름은 같지만 내용(해시)이 다릅니다: {values}.",
    "scored": "채점 데이터: {values}.",
}
COMPARE_MEASURES = {"right": "정확도", "exact": "완전 일치", "overlap": "F1 점수"}
COMPARE_MEASURE = "검정할 수치"
COMPARE_TESTS = {"right": "정확 맥니마 검정", "overlap": "짝지은 부트스트랩(재표집 10,000회)"}
COMPARE_BETTER = "더 나은 쪽: {best}. {other}보다 {figure} {difference}점 (95% 구간 {low} ~ {high})."
COMPARE_EVEN = (
    "데이터로는 우열을 가릴 수 없습니다: {best}, {other}. {figure} 차이 {difference}점 (95% 구간 {low} ~ {high})."
)
COMPARE_LEVEL = "{first}, {second}: 모든 공통 예제에서 {figure} 값이 같습니다."
COMPARE_BEST = {
    "all": "가장 나은 실행: {best} ({figure} {score}). 나머지는 모두 데이터로 뚜렷이 뒤집니다: {worse}{even}.",
    "some": "점수가 가장 높은 실행: {best} ({figure} {score}). 데이터로는 가릴 수 없는 실행: {even}. "
    "뚜렷이 뒤지는 실행: {worse}.",
    "none": "점수가 가장 높은 실행: {best} ({figure} {score}). 하지만 데이터로는 어느 실행과도 우열을 가릴 수 "
    "없습니다: {even}{worse}.",
}
COMPARE_HOW_TWO = "공통 예제 {n}개, {test}, {p}."
COMPARE_HOW = "공통 예제 {n}개, {test}, {pairs}쌍을 함께 보므로 홀름 방법으로 보정했습니다."
COMPARE_COUNTS = {
    "labels": "공통 예제 {n}개 가운데 맞힌 수: {first} {right}개, {second} {other}개.",
    "texts": "공통 예제 {n}개 가운데 정확히 맞힌 수: {first} {right}개, {second} {other}개.",
}
COMPARE_NO_F1 = (
    "F1은 검정할 수 없습니다. 이 가운데 답의 글은 빼고 맞았는지만 남긴 실행이 있기 때문입니다. 그 글은 데이터 제공자의 "
    "것입니다. 완전 일치에 대한 검정은 그대로 유효합니다."
)
COMPARE_NO_TEST = (
    "예측을 남긴 실행이 둘이 되지 않아 같은 예제로 검정할 수 없습니다. 구간이 겹친다는 것만으로는 알기 어렵습니다. "
    "짝지은 검정은 더 작은 차이도 가려냅니다."
)
COMPARE_PARTLY = "예측이 없어 검정에서 빠진 실행: {names}."
COMPARE_NOTHING_COMMON = "채점된 공통 예제가 없어 검정할 수 없습니다."
COMPARE_MATRIX = "두 실행씩 견주기"
COMPARE_MATRIX_HOW = (
    "행의 실행에서 열의 실행을 뺀 {figure} 차이(점)와 95% 구간입니다. p 값은 {pairs}쌍 전체에 대해 홀름 방법으로 "
    "보정했습니다."
)
COMPARE_MINUS = "행 − 열"
COMPARE_APART = "가려짐"
COMPARE_TOGETHER = "가릴 수 없음"
COMPARE_VIEW = "볼 것"
COMPARE_VIEWS = {
    "figures": "수치",
    "examples": "예제",
    "agreement": "일치도",
    "curves": "곡선",
    "settings": "설정",
}
COMPARE_METRIC = "수치"
COMPARE_PARAMS = "파라미터 수"
COMPARE_TRAIN_TIME = "학습 시간"
COMPARE_POINTS = "점"
COMPARE_FIGURES_HOW = (
    "{best} 표시는 그 줄에서 가장 나은 값입니다. 값 아래에는 95% 구간과 A와의 차이가 있습니다. 차이는 점수(점)나 "
    "값으로, 비용은 비율로 적습니다. 줄표는 알려지지 않은 값입니다. 차이가 우연을 넘는지는 이 표가 아니라 위의 "
    "짝지은 검정이 말해 줍니다."
)
COMPARE_FROM = "출처"
COMPARE_SETTING = "설정"
COMPARE_GROUP_OF = {"run": "실행", "model": "모델", "recipe": "레시피"}
COMPARE_FACTS = {
    "name": "이름",
    "seed": "시드",
    "source": "출처",
    "verified": "검증",
    "status": "상태",
    "dataset": "학습 데이터",
    "dataset_hash": "데이터 해시",
    "split": "채점 데이터",
    "task_version": "과제 버전",
    "teacher": "교사 모델",
    "device": "기기",
    "train_seconds": "학습 시간(초)",
    "code_version": "Featherboard 버전",
    "created_at": "시작(UTC)",
    "finished_at": "종료(UTC)",
    "recipe": "레시피",
    "recipe_hash": "레시피 해시",
    "command": "명령",
    "citation": "인용",
    "caveat": "유의점",
    "notes": "메모",
    "model": "모델",
    "family": "계열",
    "architecture": "구조",
    "params": "파라미터 수",
    "params_reported": "문서에 적힌 파라미터 수",
}
COMPARE_ALL_SETTINGS = "같은 설정도 보기"
COMPARE_SEARCH = "설정 찾기"
COMPARE_SEARCH_HINT = "이름이나 값"
COMPARE_SETTINGS_SHOWN = "설정 {all}개 가운데 {shown}개 표시, 서로 다른 설정 {differing}개."
COMPARE_NO_SETTING = "맞는 설정이 없습니다. 검색어를 지우거나 같은 설정도 보기를 켜 주세요."
COMPARE_ALL_SAME = "알려진 범위에서 서로 다른 것이 없습니다."
COMPARE_SERIES = "그릴 곡선"
COMPARE_ACROSS = "가로축"
COMPARE_ACROSS_NAMES = {"step": "스텝", "epoch": "에포크", "wall_time": "시간"}
COMPARE_AXES = {"step": "스텝", "epoch": "에포크", "wall_time": "학습 시간(초)"}
COMPARE_SMOOTH = "평활"
COMPARE_SMOOTH_HELP = (
    "지수 이동 평균에서 앞선 값의 가중치입니다. 원래 곡선은 아래에 흐리게 남습니다. 점이 40개 이하인 "
    "곡선은 평활하지 않습니다. 긴 곡선은 구간마다 가장 높은 점과 낮은 점으로 그리며, 이때는 구간의 평균을 평활합니다."
)
COMPARE_LOG = "로그 눈금"
COMPARE_NO_CURVES = "이 실행들에는 곡선이 없습니다. 문서에 인쇄된 수치에는 곡선이 없고, 학습하면 곡선이 남습니다."
COMPARE_NO_SERIES = "그릴 곡선을 골라 주세요."
COMPARE_WITHOUT = "기록이 없어 이 그림에서 빠진 실행: {letters}."
COMPARE_CURVE_ALT = "실행 {count}개의 {series}"
COMPARE_GROUP = "어떤 예제"
COMPARE_WANT = {"any": "무관", "right": "맞힘", "wrong": "틀림"}
COMPARE_WANT_HOW = "실행마다 맞힌 예제를 볼지 틀린 예제를 볼지 골라 주세요."
COMPARE_FOUND = "공통 예제 {n}개 가운데 {count}개 ({share})."
COMPARE_NONE_FOUND = "그런 예제는 없습니다."
COMPARE_EXAMPLE = "예제"
COMPARE_TEXT = "글"
COMPARE_GOLD = "정답"
COMPARE_EXAMPLES_ALT = "예제와 실행별 답"
COMPARE_SELECT = "줄을 고르면 예제 전체를 볼 수 있습니다."
COMPARE_SURE = "{answer}, 확률 {sure}"
COMPARE_SAYS = {"right": "맞음", "wrong": "틀림"}
COMPARE_PARTS = {
    "document": "글",
    "premise": "전제",
    "hypothesis": "가설",
    "question": "질문",
    "context": "지문",
}
COMPARE_MARKS = (
    "초록: 정답. 회색: 다른 답. 글자는 그 답을 낸 실행입니다. 예측에는 위치가 없으므로, 같은 말의 정답이 있는 곳에, "
    "없으면 처음 나오는 곳에 표시합니다."
)
COMPARE_NO_TEXT = (
    "이 과제의 글이 곁에 없어 예제를 ID로만 적습니다. {variable} 변수에 공식 형식의 데이터 폴더를 적어 게시판을 "
    "시작하면 글이 여기에 나옵니다."
)
COMPARE_NO_TEXT_TASK = "이 과제의 글은 게시판에서 읽을 수 없어 예제를 ID로만 적습니다."
COMPARE_NOT_IN_FILE = "이 예제가 없거나 같은 ID에 다른 예제가 들어 있어 글을 보이지 않습니다: {file}."
COMPARE_CLASSES = {
    "negative": "부정",
    "positive": "긍정",
    "entailment": "함의",
    "neutral": "중립",
    "contradiction": "모순",
}
COMPARE_ALL_RIGHT = "모두 맞힘"
COMPARE_ALL_RIGHT_HELP = "모든 실행이 맞힌 공통 예제의 비율입니다."
COMPARE_ALL_WRONG = "모두 틀림"
COMPARE_ALL_WRONG_HELP = "어느 실행도 맞히지 못한 공통 예제의 비율입니다."
COMPARE_ORACLE = "오라클"
COMPARE_ORACLE_HELP = "하나라도 맞힌 비율입니다. 언제나 맞힌 실행을 고를 수 있다면 이 점수에 이릅니다."
COMPARE_MAJORITY = "다수결"
COMPARE_MAJORITY_HELP = "가장 많은 실행이 고른 레이블의 정확도입니다. 표가 같으면 나누어 셉니다."
COMPARE_SINGLE = "가장 나은 실행 하나: {score}"
COMPARE_PAIR = "실행"
COMPARE_ALIKE = "같은 답"
COMPARE_BOTH_RIGHT = "둘 다 맞힘"
COMPARE_BOTH_WRONG = "둘 다 틀림"
COMPARE_KAPPA = "코헨 카파"
COMPARE_AGREEMENT_HOW = (
    "공통 예제 {n}개에 대한 비율입니다. 카파는 우연을 넘는 일치도로, 1은 언제나 같은 답, 0은 우연한 만큼의 일치입니다. "
    "점수가 비슷할 때 카파가 낮을수록 서로 보완할 여지가 큽니다."
)
COMPARE_AGREEMENT_TEXTS = (
    "공통 예제 {n}개에 대한 비율입니다. 공식 규칙에서 차이가 없는 답을 같은 답으로 보며, 정확히 맞혀야 맞힌 것입니다."
)
# 비용과 성능 페이지.
TRADEOFFS = "비용과 성능"
TRADE_QUESTION = "비용 대비 가장 좋은 모델은?"
TRADE_TASK = "과제"
TRADE_X = "비용"
TRADE_Y = "점수"
TRADE_SIZE = "표시의 크기"
TRADE_SIZE_OFF = "모두 같게"
TRADE_COST_ROWS = "{label} ({rows}행 중 {count}행)"
TRADE_COSTS = {
    "params": ("파라미터", TERMS["Parameters"][1]),
    "bytes": ("디스크 크기", "디스크에 놓인 가중치, 설정, 토크나이저의 크기입니다."),
    "latency": ("지연 시간", TERMS["Latency"][1]),
    "memory": ("최대 메모리", "프로세스가 가장 많이 쓴 메모리이며 라이브러리까지 포함합니다."),
    "time": ("학습 시간", "실행한 기기에서 학습에 걸린 시간입니다."),
}
TRADE_FIGURES = {
    "params": "파라미터 {value}",
    "bytes": "디스크 {value}",
    "latency": "예제당 {value}",
    "memory": "메모리 {value}",
    "time": "학습 {value}",
}
TRADE_MOST = "{label} 상한"
TRADE_LIMIT_HELP = "값을 고르거나 {example}처럼 단위를 붙여 적습니다. 해당 수치가 없는 행은 맞지 않는 것으로 봅니다."
TRADE_LIMIT_ANY = "제한 없음"
TRADE_LIMIT_WRONG = "알 수 없는 값입니다: {typed}. {example}처럼 숫자와 단위를 적어 주세요."
TRADE_UNDER = "{figure} 이하"
TRADE_AND = "{first}, {last}"
TRADE_BEST = "{limits}에서 가장 좋은 모델"
TRADE_BEST_VERIFIED = "검증된 것 가운데 가장 좋은 모델"
TRADE_NAMED = "{model}, {score}, {costs} ({origin})."
TRADE_MISSING = "{rows}행 가운데 {missing}행은 해당 수치가 없어 살피지 않았습니다."
TRADE_NONE = "없습니다. 조건 하나씩은 만족하는 행이 있지만 모두 만족하는 행은 없습니다."
TRADE_NONE_NEAREST = "없습니다. 가장 가까운 모델은 {model} ({figure})입니다."
TRADE_FRONT = "파레토 경계"
TRADE_FRONT_HOW = "{rows}행 중 {count}행. {first} ({first_facts})에서 {last} ({last_facts})까지입니다."
TRADE_FRONT_ONE = (
    "{first} ({first_facts}) 하나뿐입니다. 점수가 더 높은 것도, 점수가 같으면서 비용이 더 적은 것도 없습니다."
)
TRADE_VERIFIED = "검증됨"
TRADE_RANGE = "{low}~{high}"
TRADE_SEEDS = "시드 {count}개의 평균"
TRADE_DATASET = "학습 데이터"
TRADE_TEACHER = "교사"
TRADE_LOG = "{label} (로그 눈금)"
TRADE_MORE = "{label}, 높을수록 좋음"
TRADE_LESS = "{label}, 낮을수록 좋음"
TRADE_FRONTIER = "파레토 경계, 옅은 면은 이보다 못한 영역"
TRADE_ARROW = "교사에서 학생으로"
TRADE_WITHIN = "예산 안에서 가장 좋은 모델"
TRADE_BEYOND = "예산을 넘거나 알 수 없음"
TRADE_OTHERS = "그 밖의 계열"
TRADE_LIMIT = "{value} 이하"
TRADE_ALT = "{count}행의 {cost} 대 {score}. 파레토 경계의 모델을 비용이 적은 것부터 적으면: {names}."
TRADE_HINT = (
    "표시를 누르면 그 실행이 아래에 나옵니다. Shift를 누른 채 더 고르거나 그림 위의 상자·올가미 도구로 둘러싸면 여럿을 "
    "비교할 수 있습니다."
)
TRADE_SIZES = "표시의 크기: {label}, {low}~{high}. 수치가 없으면 가장 작게 그립니다."
TRADE_NOT_SHOWN = "수치가 없어 그림에서 빠진 행: {missing}."
TRADE_LEFT_OUT = "{count}개 가운데 경계와 점수가 좋은 것부터 {drawn}개만 그렸습니다."
TRADE_MACHINES = "서로 다른 기기 {count}대에서 잰 수치이므로 정밀하게 견줄 수 없습니다."
TRADE_FAMILIES = "계열"
TRADE_FAMILIES_ALL = "모든 계열"
TRADE_EVERY = "모든 실행"
TRADE_ARROWS = "교사와 학생"
TRADE_ARROWS_HELP = "교사와 학생이 모두 그림에 있으면 화살표로 잇습니다."
TRADE_CHOSEN_MORE = "그 밖에 {count}개가 더 있습니다."
TRADE_OPEN = "실행 기록 열기"
TRADE_COMPARE = "실행 {count}개 비교"
TRADE_COMPARE_BEST = "{count}개 중 점수가 좋은 {most}개 비교"
TRADE_TABLE = "표로 보기"
TRADE_TABLE_HINT = "그림에서 고른 것이 없으면 여기서 표시한 행을 고른 것으로 봅니다."
TRADE_COLUMNS = {"model": "모델", "origin": "출처", "family": "계열", "front": "파레토 경계"}
TRADE_YES = "예"
TRADE_SAVE = "저장:"
TRADE_SAVE_HELP = "그림을 {format} 파일로 저장"
TRADE_CSV_HELP = "그림에 있는 수치를 표로 저장"
TRADE_ONE_SIZE = "여기서는 견줄 것이 없습니다."
TRADE_ONE_SIZE_HOW = "두 수치가 다 있는 행은 모두 {cost} {value}입니다. 다른 비용을 골라 보세요."
TRADE_EMPTY = "두 수치가 다 있는 행이 없습니다: {cost}, {score}."
TRADE_EMPTY_HOW = "점수가 있는 행 가운데 알려진 값이 없는 비용: {cost}. 다음 명령이 실행 하나의 비용을 재어 남깁니다."
TRADE_EMPTY_TRAINING = "학습 시간은 여기서 모델을 학습할 때 남습니다."
TRADE_EMPTY_PARAMS = "파라미터 수는 여기서 모델을 학습하거나 잴 때 셉니다. 다른 비용을 골라 보세요."
TRADE_EMPTY_FILTER = "이 계열에는 두 수치가 다 있는 행이 없습니다."
TRADE_BOARD = "이 과제의 순위표로"

# 기기 페이지의 그림에 쓰는 말.
DEVICES_HOVER = "{reference} 대비 속도 {times} ({condition})"
DEVICES_HOVER_MEMORY = "메모리 {mb} MB"

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

RUN_WITHDRAWN = "{when}에 철회되어 더 이상 보드에 없는 실행입니다. {reason}"

# 실험실

PLAYGROUND = "실험실"
TRY_TAB = "무엇을 해 볼까요"
TRY_TABS = {
    "qa": "질의응답", "sentiment": "감성", "nli": "추론", "batch": "여러 질문", "lab": "속도 측정",
}  # fmt: skip
TRY_LEAD = "보드의 모델에게 직접 물어보세요. 모델은 이 컴퓨터에서 실행되며, 입력한 글은 밖으로 나가지 않습니다."
TRY_WITHOUT = (
    "모델을 실행하는 엔진이 설치되어 있지 않습니다. 보드의 나머지 기능은 그대로 쓸 수 있습니다. "
    "모델을 써 보려면 엔진을 설치하고 보드를 다시 시작하세요:"
)
TRY_WITHOUT_HOW = (
    "torch와 transformers를 함께 설치하며 약 1 GB입니다. `offline`을 더하면 사전 학습된 영어 인코더도 설치됩니다."
)
TRY_SAMPLE = "예시"
TRY_SAMPLE_CHOOSE = "예시 고르기"
TRY_QUESTION = "질문"
TRY_CONTEXT = "답이 들어 있는 글"
TRY_ASK = "물어보기"
TRY_MARKED = "답을 표시한 글"
TRY_FROM_DOCUMENT = "출처: {source}. 문서의 모델이 낸 답: {answer}"
TRY_FROM_CORPUS = (
    "Featherboard를 위해 쓴 미니 말뭉치의 글이며, 함께 제공되는 모델은 이 글로 학습하지 않았습니다. 정답: {answer}"
)
TRY_MODELS = "모델 (최대 네 개를 나란히)"
TRY_MODELS_NONE = "모델을 고르세요"
TRY_PARAMS = "파라미터 {n}"
TRY_MISSING = "질문과 글을 입력하거나 예시를 고르세요."
TRY_NO_MODEL = "모델을 하나 이상 고르세요."
TRY_WORKING = "모델이 읽는 중 …"
TRY_READING = "창 단위로 읽는 중"
TRY_TO_RUN = "이 모델의 점수, 비용, 출처 보기"
TRY_AGREE = "답한 모델이 모두 같은 답을 냈습니다."
TRY_DISAGREE = "모델마다 답이 다릅니다."
TRY_NO_ANSWER = "이 글에는 답이 없음"
TRY_NOTHING = "답 없음"
TRY_NOTHING_HOW = "글에 답이 없을 확률"
TRY_GUESSED = "질문이나 글이 모델이 학습한 언어와 다릅니다. 이 답은 추측입니다."
TRY_WINDOW = "글을 창 {n}개로 나누어 읽었고, {place}번째 창에서 답을 찾았습니다({first}~{last}번째 글자)."
TRY_IN_WINDOW = "창 {n}"
TRY_CANDIDATES = "가능성이 높은 답"
TRY_CHARACTERS = "{n}자"
TRY_COST = "파라미터 {params}, 메모리 {size}. {total} ms: 토큰화 {tokenise}, 모델 {model}, 디코딩 {decode}"
TRY_SETTINGS = "설정: {precision}, 답하지 않는 기준: {threshold}, 후보 수: {best}"
TRY_ALWAYS = "없음"
TRY_PRECISION = "수 형식"
TRY_THRESHOLD = "‘답 없음’의 확률이 이보다 크면 답하지 않기"
TRY_THRESHOLD_HELP = (
    "1이면 항상 답합니다. SQuAD 1.1과 KorQuAD 1.0처럼 모든 질문에 답이 있는 데이터로만 학습한 모델은 "
    "언제 답하지 말아야 하는지를 거의 알지 못합니다."
)
TRY_BEST = "보여 줄 후보 수"
TRY_OTHER = "다른 모델"
TRY_FOLDER = "safetensors 모델이 있는 폴더"
TRY_FOLDER_ADD = "폴더 추가"
TRY_HUB = "Hugging Face 허브의 모델"
TRY_HUB_HELP = "크기를 먼저 보여 준 뒤에만 내려받습니다. safetensors만 읽고, 모델에 딸린 코드는 실행하지 않습니다."
TRY_HUB_LOOK = "찾아보기"
TRY_HUB_PLAN = "{name}: 파일 {files}개, {size}."
TRY_HUB_FETCH = "내려받기"
TRY_HUB_FETCHING = "내려받는 중: {name}"
TRY_OTHER_KIND = "다른 탭에서 쓰는 모델입니다: {name}, {tab}."
TRY_MEMORY = "메모리에 있는 모델: {n}개, {size}"
TRY_MEMORY_HOW = "가장 오래 쓰지 않은 모델부터 내립니다. 이 프로세스 전체의 메모리: {size}."
TRY_MODEL = "모델"
TRY_SIZE = "메모리 크기"
TRY_LOADED = "불러온 시간"
TRY_SECONDS = "{n}초"
TRY_WRONG = "틀린 답 알리기"
TRY_WRONG_RIGHT = "글에 적힌 그대로의 정답"
TRY_WRONG_RIGHT_HELP = "모르면 비워 두세요."
TRY_WRONG_NOTHING = "글에 답이 없음"
TRY_WRONG_LABEL = "올바른 답"
TRY_WRONG_COMMENT = "의견"
TRY_WRONG_KEEP = "사례 저장"
TRY_WRONG_KEPT = "저장했습니다. `featherboard export feedback`으로 모든 사례를 내보낼 수 있습니다."
TRY_LABELS = {
    "negative": "부정", "positive": "긍정", "entailment": "함의", "neutral": "중립", "contradiction": "모순",
}  # fmt: skip
TRY_HISTORY = "이번 방문에서 물어본 것: {n}개"
TRY_HISTORY_SAVE = "JSON으로 저장"
TRY_AGAIN = "다시 열기"
TRY_FILE = "질문 파일: question과 context 열이 있는 CSV, JSON Lines, Parquet 또는 SQuAD JSON"
TRY_FILE_HOW = (
    "answer 열이나 SQuAD 형식의 answers가 있으면 채점합니다. 질문은 최대 {most}개이며, 더 많으면 "
    "`featherboard ask --input FILE --output FILE`을 쓰세요."
)
TRY_FILE_EMPTY = "파일을 올리거나, 미니 말뭉치의 시험 질문으로 먼저 살펴보세요."
TRY_FILE_SAMPLE = "미니 말뭉치 쓰기"
TRY_FILE_LANGUAGE = {"en": "영어", "ko": "한국어"}
TRY_FILE_READ = "{name}: 질문 {n}개, 정답이 있는 질문 {known}개."
TRY_FILE_RUN = "모두 답하기"
TRY_FILE_RUNNING = "답하는 중"
TRY_FILE_STALE = "이 답을 낸 뒤로 파일, 모델 또는 설정이 바뀌었습니다. 다시 실행하세요."
TRY_FILE_GUESSED = "{name}: 질문 {n}개는 모델이 학습하지 않은 언어이므로 답이 추측입니다."
TRY_SCORES = "정답이 있는 질문의 점수"
TRY_BETWEEN = "{value} ({low}~{high})"
TRY_SAVE_OFFICIAL = "{name}: 공식 채점기용 답"
TRY_LAB_HOW = (
    "질문 하나를 고른 모델과 수 형식마다 번갈아 여러 번 실행합니다. 신경망의 시간만 재며, 토큰화와 디코딩 시간은 "
    "질의응답 탭의 답 옆에 표시됩니다."
)
TRY_LAB_PRECISIONS = "수 형식"
TRY_LAB_CALLS = "각각의 실행 횟수"
TRY_LAB_RUN = "측정"
TRY_LAB_RUNNING = "번갈아 측정하는 중"
TRY_LAB_QUESTION = "질의응답 탭의 질문: {question}"
TRY_LAB_COLUMNS = ("모델", "수 형식", "중앙값", "95% 분위", "99% 분위", "토큰", "스레드", "횟수")
TRY_LAB_CHART = "실행마다 걸린 밀리초"
TRY_LAB_BUSY = "측정 직전에 다른 프로그램이 코어의 {share}를 쓰고 있었습니다. 한가한 컴퓨터보다 시간이 길게 나옵니다."
TRY_LAB_KEEP = "이 기기의 측정 결과로 저장"
TRY_LAB_DEVICE = "기기 이름"
TRY_LAB_KEPT = "저장했습니다: 기기 보드에 실행 {n}개."
TRY_LAB_RATIO = "중앙값 기준으로 {ratio}배 빠릅니다: {fast}, 비교 대상: {slow}."

# 감성과 추론: 판정, 판정의 근거, 모델 사이의 일치.
PAIR_FIELDS = {"sentiment": ("리뷰",), "nli": ("전제", "가설")}
PAIR_MISSING = {
    "sentiment": "리뷰를 입력하거나 예시를 고르세요.", "nli": "전제와 가설을 입력하거나 예시를 고르세요.",
}  # fmt: skip
PAIR_SHARES = "레이블별 확률"
PAIR_CUT = "글이 이 모델이 읽을 수 있는 길이보다 깁니다. 앞부분만 읽었습니다."
PAIR_WEIGH = "판정의 근거 보기 (조각 {n}개)"
PAIR_WEIGHING = "조각을 하나씩 빼 보는 중"
PAIR_MOST = "가장 중요한 부분 ({label} 확률)"
PAIR_WITHOUT = "“{part}” 없이"
PAIR_MOVES = "{label} {change}"
PAIR_TURNS = "{label} {change}, 판정이 바뀜: {other}"
PAIR_NOTHING = "어느 한 부분을 빼도 확률이 1%p 넘게 달라지지 않습니다."
PAIR_SAMPLE = "단어"
PAIR_LEGEND = {
    "for": "판정을 뒷받침함: 빼면 확률이 내려갑니다",
    "against": "판정과 어긋남: 빼면 확률이 올라갑니다",
    "turns": "판정을 뒤집음: 빼면 다른 판정이 나옵니다",
}
PAIR_HOW = (
    "조각을 하나씩 빼고 나머지를 모델에게 다시 읽혀 본 결과입니다. 색이 짙을수록 확률이 많이 달라지며, "
    "1%p 미만으로 달라지는 조각은 표시하지 않습니다."
)
PAIR_ALL = "모든 모델의 판정이 같습니다: **{label}** ({n}/{n})."
PAIR_SPLIT = "모델마다 판정이 다릅니다: {voices}."
PAIR_VOICE = "**{label}** {n}/{all} ({names})"
PAIR_GOLD = "말뭉치의 정답: {label}, 맞힌 모델 {n}/{all}."

# 실행을 제출받는 페이지.
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
    "hugging face": ("허깅페이스", "all_results.json, trainer_state.json(곡선이 됨), eval_predictions.json, "
                     "eval_nbest_predictions.json, 모델 카드나 그 model-index"),
    "trackers": ("실험 기록", "lm-evaluation-harness 결과(JSON), MLflow 실행(JSON, CSV), W&B 기록(CSV)"),
    "tables": ("표", "한 행이 실행 하나인 결과표, 한 행이 예제 하나인 예측: CSV, TSV, JSON, JSON Lines, Parquet. 열의 "
               "뜻은 직접 고릅니다"),
    "weights": ("파라미터", "safetensors 파일, config.json, card.json: 가중치를 올리지 않고 셉니다"),
    "bundle": ("묶음", "다른 Featherboard에서 내보낸 묶음(.zip)"),
}  # fmt: skip
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
SUBMIT_MEANS_AS = {
    "": "쓰지 않음",
    "example_id": "예측: 예제의 ID",
    "predicted": "예측: 답",
    "score": "예측: 확률",
}

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
SUBMIT_STATE_COLUMNS = {
    "row": "행",
    "model": "모델",
    "task": "과제",
    "state": "상태",
    "reason": "이유",
    "run": "실행",
}
SUBMIT_WITHDRAW = "거두기"
SUBMIT_WITHDRAW_HOW = "거둔 행은 대기열이나 순위표에서 빠집니다. 되돌릴 수 없으며, 필요하면 새로 제출하세요."
SUBMIT_WITHDRAW_WHICH = "거둘 행"
SUBMIT_WITHDRAW_WHY = "이유 (순위표에서 읽힐 수 있음)"
SUBMIT_WITHDRAW_SURE = "네, 거두겠습니다"
SUBMIT_WITHDRAW_DO = "거두기"
SUBMIT_WITHDRAWN = "거두었습니다."
SUBMIT_LINK_KEEP = "이 페이지의 주소가 비공개 링크입니다. 잘 보관하고, 제출을 거두어도 되는 사람에게만 알려 주세요."
SUBMIT_LOOK_AGAIN = "다시 보기"

# 운영자 페이지.
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
MODERATE_BATCH_SURE = {
    "accept": "{n}건을 보드에 올립니다: {names}.",
    "reject": "{n}건을 반려합니다: {names}.",
}
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
