"""Sentiment and inference: verdicts, what they hang on, which models agree, in Korean."""

PAIR_FIELDS = {"sentiment": ("리뷰",), "nli": ("전제", "가설")}
PAIR_MISSING = {"sentiment": "리뷰를 입력하거나 예시를 고르세요.", "nli": "전제와 가설을 입력하거나 예시를 고르세요."}
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
