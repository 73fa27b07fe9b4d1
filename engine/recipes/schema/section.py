"""What every table of a recipe has in common."""

from pydantic import BaseModel, ConfigDict


class Section(BaseModel):
    """One table of the TOML file; unknown keys are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)
