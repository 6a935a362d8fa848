"""Settings of language models: which one in which role, where it is, what it may cost."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from leadline.fields.addresses import Address
from leadline.fields.secret import NO_KEY, SecretText
from leadline.fields.setting import Bounds, Fields, setting
from leadline.types.kinds import ModelPlansName

Seconds = Annotated[float, Bounds(gt=0, le=3600)]
Temperature = Annotated[float, Bounds(ge=0, le=2)]
Tokens = Annotated[int, Bounds(ge=0, le=10_000_000)]

# What other programs call these settings in the environment.
OTHER_NAMES = {
    "OPENAI_API_KEY": "openai_api_key",
    "OPENAI_BASE_URL": "openai_base_url",
    "ANTHROPIC_API_KEY": "anthropic_api_key",
    "GEMINI_API_KEY": "google_api_key",
    "GOOGLE_API_KEY": "google_api_key",
    "OPENROUTER_API_KEY": "openrouter_api_key",
    "GROQ_API_KEY": "groq_api_key",
    "MISTRAL_API_KEY": "mistral_api_key",
    "DEEPSEEK_API_KEY": "deepseek_api_key",
}


class ModelFields(Fields):
    """Models: one for all roles, or one for each."""

    model: str = setting(
        default="",
        needs_trust="yes",
        description="Model for every role, as PROVIDER:NAME; more after | take over on failure.",
    )
    no_model: bool = setting(
        default=False, description="Use no language model, whatever is set: quote and nothing else."
    )
    agent: bool = setting(
        default=False, description="Let the model decide what to look up, by calling tools."
    )
    agent_max_steps: int | None = setting(
        default=None,
        ge=2,
        le=200,
        description="Moves a model may make in agent mode, its answer included.",
    )
    model_base_url: Address = setting(
        default="", needs_trust="yes", description="Address of the model's server."
    )
    openai_base_url: Address = setting(
        default="",
        needs_trust="yes",
        description="Address that takes the place of OpenAI's own for openai: models.",
    )
    model_timeout_s: Seconds = setting(
        default=120.0, description="Seconds one answer of a model may take."
    )
    model_temperature: Temperature | None = setting(
        default=None, description="Temperature of every call; unset, each step has its own."
    )
    model_window: Tokens = setting(
        default=0, description="Tokens of prompt and answer together; 0 asks the server."
    )
    model_keep_alive: str = setting(
        default="5m", description="How long Ollama keeps a model loaded after a call."
    )
    chars_per_token: float = setting(
        default=0.0,
        ge=0,
        le=8,
        description="English letters a model makes one token of; 0 takes what was measured.",
    )
    model_plans: ModelPlansName = setting(
        default="auto",
        description="Whether a model adds to the queries that rules make, and reflects.",
    )
    planner_model: str = setting(
        default="",
        needs_trust="yes",
        description="Model that plans and reflects; unset, the one for all.",
    )
    planner_base_url: Address = setting(
        default="", needs_trust="yes", description="Address of the planner's server."
    )
    planner_timeout_s: Seconds | None = setting(
        default=None, description="Seconds one answer of the planner may take."
    )
    planner_temperature: Temperature | None = setting(
        default=None, description="Temperature of the planner's calls."
    )
    planner_window: Tokens = setting(
        default=0, description="Tokens the planner can hold; 0 asks the server."
    )
    planner_keep_alive: str = setting(
        default="", description="How long Ollama keeps the planner loaded after a call."
    )
    producer_model: str = setting(
        default="",
        needs_trust="yes",
        description="Model that writes and revises; unset, the one for all.",
    )
    producer_base_url: Address = setting(
        default="", needs_trust="yes", description="Address of the producer's server."
    )
    producer_timeout_s: Seconds | None = setting(
        default=None, description="Seconds one answer of the producer may take."
    )
    producer_temperature: Temperature | None = setting(
        default=None, description="Temperature of the producer's calls."
    )
    producer_window: Tokens = setting(
        default=0, description="Tokens the producer can hold; 0 asks the server."
    )
    producer_keep_alive: str = setting(
        default="", description="How long Ollama keeps the producer loaded after a call."
    )
    compressor_model: str = setting(
        default="",
        needs_trust="yes",
        description="Model that merges findings into notes; unset, no model does.",
    )
    compressor_base_url: Address = setting(
        default="", needs_trust="yes", description="Address of the compressor's server."
    )
    compressor_timeout_s: Seconds | None = setting(
        default=None, description="Seconds one answer of the compressor may take."
    )
    compressor_temperature: Temperature | None = setting(
        default=None, description="Temperature of the compressor's calls."
    )
    compressor_window: Tokens = setting(
        default=0, description="Tokens the compressor can hold; 0 asks the server."
    )
    compressor_keep_alive: str = setting(
        default="", description="How long Ollama keeps the compressor loaded after a call."
    )
    evaluator_model: str = setting(
        default="",
        needs_trust="yes",
        description="Model that judges claims in doubt and scores; unset, the one for all scores.",
    )
    evaluator_base_url: Address = setting(
        default="", needs_trust="yes", description="Address of the evaluator's server."
    )
    evaluator_timeout_s: Seconds | None = setting(
        default=None, description="Seconds one answer of the evaluator may take."
    )
    evaluator_temperature: Temperature | None = setting(
        default=None, description="Temperature of the evaluator's calls."
    )
    evaluator_window: Tokens = setting(
        default=0, description="Tokens the evaluator can hold; 0 asks the server."
    )
    evaluator_keep_alive: str = setting(
        default="", description="How long Ollama keeps the evaluator loaded after a call."
    )
    vision_model: str = setting(
        default="",
        needs_trust="yes",
        description="Model that describes images; unset, no model does.",
    )
    vision_base_url: Address = setting(
        default="", needs_trust="yes", description="Address of the vision's server."
    )
    vision_timeout_s: Seconds | None = setting(
        default=None, description="Seconds one answer of the vision may take."
    )
    vision_temperature: Temperature | None = setting(
        default=None, description="Temperature of the vision's calls."
    )
    vision_window: Tokens = setting(
        default=0, description="Tokens the vision can hold; 0 asks the server."
    )
    vision_keep_alive: str = setting(
        default="", description="How long Ollama keeps the vision loaded after a call."
    )
    max_cost: float = setting(
        default=0.0,
        ge=0,
        description="Money a run may spend on models, in US dollars; 0 sets no ceiling.",
    )
    prices: tuple[str, ...] = setting(
        default=(),
        description="Prices of a million tokens, MODEL=PROMPT/ANSWER; win over the known ones.",
    )
    prompts: Path | None = setting(
        default=None,
        needs_trust="yes",
        description="Folder of prompts that take the place of ours of that name.",
    )
    keys_file: Path | None = setting(
        default=None, needs_trust="yes", description="File with keys, readable by its owner alone."
    )
    model_api_key: SecretText = setting(
        default=NO_KEY,
        needs_trust="yes",
        description="Key for a server of your own, or for any provider.",
    )
    openai_api_key: SecretText = setting(
        default=NO_KEY, needs_trust="yes", description="Key for OpenAI."
    )
    anthropic_api_key: SecretText = setting(
        default=NO_KEY, needs_trust="yes", description="Key for Anthropic."
    )
    google_api_key: SecretText = setting(
        default=NO_KEY, needs_trust="yes", description="Key for Google."
    )
    openrouter_api_key: SecretText = setting(
        default=NO_KEY, needs_trust="yes", description="Key for OpenRouter."
    )
    groq_api_key: SecretText = setting(
        default=NO_KEY, needs_trust="yes", description="Key for Groq."
    )
    mistral_api_key: SecretText = setting(
        default=NO_KEY, needs_trust="yes", description="Key for Mistral."
    )
    deepseek_api_key: SecretText = setting(
        default=NO_KEY, needs_trust="yes", description="Key for DeepSeek."
    )

    @property
    def writes_with_model(self) -> bool:
        """Whether a model is to write the report."""
        return bool(self.model or self.producer_model) and not self.no_model
