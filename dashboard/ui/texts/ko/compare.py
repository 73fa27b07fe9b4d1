"""The page Compare, in Korean."""

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
