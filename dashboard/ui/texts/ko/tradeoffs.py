"""The page of trade-offs, in Korean."""

from dashboard.ui.texts.ko.common import TERMS

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
