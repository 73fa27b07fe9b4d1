"""The page of devices, in Korean."""

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
COMPARE_VIEWS = {"figures": "수치", "examples": "예제", "agreement": "일치도", "curves": "곡선", "settings": "설정"}
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
COMPARE_PARTS = {"document": "글", "premise": "전제", "hypothesis": "가설", "question": "질문", "context": "지문"}
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
DEVICES_HOVER = "{reference} 대비 속도 {times} ({condition})"
DEVICES_HOVER_MEMORY = "메모리 {mb} MB"
