"""What all pages share, in Korean."""

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
STATUS = {"running": "진행 중", "finished": "완료", "failed": "실패", "interrupted": "중단됨", "diverged": "발산"}
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
        "db/bootstrap/results/reported에 있습니다. 논문과 모델 카드는 이름으로 인용합니다.",
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
NOT_FOUND = "그런 실행이나 게시판이 여기에 없습니다."
STORE_ERRORS = {
    "StoreBusyError": "다른 프로그램이 쓰는 중입니다. 잃은 것은 없으며 보통 몇 초 안에 풀립니다.",
    "StoreVersionError": "다른 판의 Featherboard로 만든 데이터베이스입니다. 건드리지 않았습니다.",
    "StoreDamagedError": "파일이 손상되었거나 데이터베이스가 아닙니다. 건드리지 않았습니다.",
    "FeatherboardError": "바뀐 것은 없습니다.",
}
