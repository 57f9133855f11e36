"""InfoNCE and RINCE: golden numbers, a literal oracle, closed forms and invariances."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
import torch
from tests.oracles import losses as oracle
from torch import Tensor

from pairsift.errors import PairsiftError
from pairsift.losses import RINCE, Contrast, InfoNCE, NegativeCosine, build_loss

GOLDEN = Path(__file__).parent.parent / "golden" / "losses.npz"
CRITERIA = {
    "infonce_symmetric": InfoNCE(),
    "infonce_eq1": InfoNCE(one_sided=True),
    "negative_cosine": NegativeCosine(),
    "rince_q0.1_lam0.01": RINCE(),
    "rince_q0.5_lam0.01": RINCE(q=0.5),
    "rince_q0.5_lam0.001": RINCE(q=0.5, lam=0.001),
}
CONTRASTS = [
    InfoNCE(),
    InfoNCE(0.07, one_sided=True),
    RINCE(),
    RINCE(0.5, q=0.7, lam=0.5),
    RINCE(one_sided=True),
]
each_contrast = pytest.mark.parametrize("criterion", CONTRASTS, ids=repr)


def embeddings(pairs: int = 7, features: int = 5, seed: int = 0) -> tuple[Tensor, Tensor]:
    generator = torch.Generator().manual_seed(seed)
    zu = torch.randn(pairs, features, generator=generator, dtype=torch.float64)
    return zu, zu + torch.randn(pairs, features, generator=generator, dtype=torch.float64)


def slow(criterion: Contrast, zu: Tensor, zv: Tensor, keep: Tensor | None = None) -> Tensor:
    mask = None if keep is None else keep.tolist()
    if isinstance(criterion, RINCE):
        values = oracle.rince(
            zu.tolist(),
            zv.tolist(),
            criterion.temperature,
            criterion.q,
            criterion.lam,
            criterion.one_sided,
            mask,
        )
    else:
        values = oracle.infonce(zu.tolist(), zv.tolist(), criterion.temperature, criterion.one_sided, mask)
    return torch.tensor(values, dtype=torch.float64)


@pytest.mark.parametrize("name", CRITERIA)
@pytest.mark.parametrize(("dtype", "tolerance"), [(torch.float64, 1e-6), (torch.float32, 1e-5)])
def test_the_golden_numbers_are_reproduced(name: str, dtype: torch.dtype, tolerance: float) -> None:
    golden = np.load(GOLDEN)
    assert golden["temperature"] == 0.2
    losses = CRITERIA[name](torch.tensor(golden["u"], dtype=dtype), torch.tensor(golden["v"], dtype=dtype))
    assert losses.dtype == dtype
    np.testing.assert_allclose(losses.numpy(), golden[name], rtol=0, atol=tolerance)


@each_contrast
def test_equals_the_equations_read_literally(criterion: Contrast) -> None:
    zu, zv = embeddings()
    torch.testing.assert_close(criterion(zu, zv), slow(criterion, zu, zv), rtol=1e-10, atol=1e-10)


@each_contrast
def test_masked_negatives_equal_the_equations_read_literally(criterion: Contrast) -> None:
    zu, zv = embeddings()
    keep = torch.tensor([True, False, True, True, False, True, True])
    torch.testing.assert_close(criterion(zu, zv, keep), slow(criterion, zu, zv, keep), rtol=1e-10, atol=1e-10)


@each_contrast
def test_who_stays_cannot_tell_masked_series_from_absent_ones(criterion: Contrast) -> None:
    zu, zv = (z.requires_grad_() for z in embeddings())
    keep = torch.tensor([True, False, True, True, False, True, True])
    masked = criterion(zu, zv, keep)[keep]
    gradient = torch.autograd.grad(masked.sum(), [zu, zv])
    absent = criterion(zu[keep], zv[keep])
    expected = torch.autograd.grad(absent.sum(), [zu, zv])
    torch.testing.assert_close(masked, absent)
    torch.testing.assert_close(gradient, expected)
    assert all((g[~keep] == 0).all() for g in gradient)


@each_contrast
def test_a_mask_that_keeps_all_changes_nothing(criterion: Contrast) -> None:
    zu, zv = embeddings()
    torch.testing.assert_close(criterion(zu, zv, torch.ones(7, dtype=torch.bool)), criterion(zu, zv))


@each_contrast
def test_without_any_negative_the_positive_is_all_there_is(criterion: Contrast) -> None:
    zu, zv = (z.requires_grad_() for z in embeddings())
    losses = criterion(zu, zv, torch.zeros(7, dtype=torch.bool))
    if isinstance(criterion, InfoNCE):
        assert (losses == 0).all()
    torch.testing.assert_close(losses, slow(criterion, zu, zv, torch.zeros(7)), rtol=1e-10, atol=1e-10)
    for gradient in torch.autograd.grad(losses.sum(), [zu, zv]):
        assert gradient.isfinite().all()


@each_contrast
def test_losses_move_with_their_pairs(criterion: Contrast) -> None:
    zu, zv = embeddings()
    keep = torch.tensor([True, False, True, True, False, True, True])
    order = torch.tensor([3, 0, 6, 1, 5, 2, 4])
    shuffled = criterion(zu[order], zv[order], keep[order])
    torch.testing.assert_close(shuffled, criterion(zu, zv, keep)[order])


@pytest.mark.parametrize("criterion", [*CONTRASTS, NegativeCosine()], ids=repr)
def test_neither_length_nor_rotation_of_embeddings_matters(criterion: torch.nn.Module) -> None:
    zu, zv = embeddings()
    lengths = torch.logspace(-3, 3, 7, dtype=torch.float64)[:, None]
    rotation = torch.linalg.qr(embeddings(5, 5, seed=1)[0]).Q
    torch.testing.assert_close(criterion(zu * lengths, zv / lengths), criterion(zu, zv))
    torch.testing.assert_close(criterion(zu @ rotation, zv @ rotation), criterion(zu, zv))


@pytest.mark.parametrize("criterion", [*CONTRASTS, NegativeCosine()], ids=repr)
def test_gradients_equal_differences(criterion: torch.nn.Module) -> None:
    zu, zv = (z.requires_grad_() for z in embeddings(4, 3))
    keep = torch.tensor([True, False, True, True])
    assert torch.autograd.gradcheck(lambda a, b: criterion(a, b, keep), (zu, zv))
    assert torch.autograd.gradcheck(criterion, (zu, zv))


@pytest.mark.parametrize("pairs", [2, 3, 16])
def test_one_point_for_all_gives_the_log_of_the_candidates(pairs: int) -> None:
    z = torch.full((pairs, 4), 0.3, dtype=torch.float64)
    for criterion, candidates in [(InfoNCE(), 2 * pairs - 1), (InfoNCE(one_sided=True), pairs)]:
        torch.testing.assert_close(
            criterion(z, z), torch.full((pairs,), math.log(candidates), dtype=torch.float64)
        )
        assert criterion.chance_level(pairs) == pytest.approx(math.log(candidates))
    assert InfoNCE().chance_level(pairs, bank=9) == pytest.approx(math.log(10))
    assert RINCE().chance_level(pairs) is None and NegativeCosine().chance_level(pairs) is None


def test_well_separated_pairs_lose_next_to_nothing() -> None:
    z = torch.eye(4, dtype=torch.float64)
    expected = math.log1p(6 * math.exp(-1 / 0.1))  # six orthogonal negatives
    torch.testing.assert_close(InfoNCE(0.1)(z, z), torch.full((4,), expected, dtype=torch.float64))


def test_rince_with_a_small_q_is_infonce_but_for_a_constant() -> None:
    zu, zv = embeddings()
    apart = RINCE(q=1e-6, lam=0.5)(zu, zv) - InfoNCE()(zu, zv)
    torch.testing.assert_close(apart, torch.full_like(apart, math.log(0.5)), rtol=1e-4, atol=1e-4)


def test_equation_2_is_the_gradient() -> None:
    zu, zv = (torch.nn.functional.normalize(z) for z in embeddings())
    r = zu.clone().requires_grad_()
    # Eq. 2 differentiates by representations that already have length 1, so normalising must not take part.
    positive = (r * zv).sum(1) / 0.2
    others = ~torch.eye(7, dtype=torch.bool)
    negative = (r @ zv.T / 0.2).masked_fill(~others, -torch.inf).logsumexp(1)
    InfoNCE(0.2).combine(positive, negative).sum().backward()
    expected = torch.tensor([oracle.equation_2(i, zu.tolist(), zv.tolist(), 0.2) for i in range(7)])
    torch.testing.assert_close(-r.grad, expected.double(), rtol=1e-6, atol=1e-6)

    # Through the whole loss it is Eq. 2 on the sphere: what points along the representation itself is gone.
    z = zu.clone().requires_grad_()
    InfoNCE(0.2, one_sided=True)(z, zv).sum().backward()
    tangent = expected.double() - (expected * zu).sum(1, keepdim=True) * zu
    torch.testing.assert_close(-z.grad, tangent, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("bank_rows", [0, 1, 11])
def test_against_a_bank_equals_the_equation_read_literally(bank_rows: int) -> None:
    queries, keys = embeddings()
    bank = embeddings(bank_rows, 5, seed=3)[0]
    queries.requires_grad_()
    losses = InfoNCE(0.3).against(queries, keys, bank)
    expected = oracle.infonce_against(queries.tolist(), keys.tolist(), bank.tolist(), 0.3)
    torch.testing.assert_close(losses, torch.tensor(expected, dtype=torch.float64))
    (gradient,) = torch.autograd.grad(losses.sum(), [queries])
    assert gradient.isfinite().all()
    assert RINCE().against(queries, keys, bank).isfinite().all()


def test_against_the_other_keys_is_the_one_sided_loss() -> None:
    zu, zv = embeddings()
    for criterion in (InfoNCE(one_sided=True), RINCE(one_sided=True)):
        others = torch.tensor([0, 1, 2, 4, 5, 6])
        torch.testing.assert_close(criterion.against(zu[3:4], zv[3:4], zv[others]), criterion(zu, zv)[3:4])


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
@pytest.mark.parametrize(
    "criterion",
    [InfoNCE(0.01), InfoNCE(0.01, one_sided=True), RINCE(0.01), RINCE(0.01, q=0.5), NegativeCosine()],
    ids=repr,
)
@pytest.mark.parametrize("kind", ["random", "alike", "opposed", "large"])
def test_low_precision_and_temperature_stay_finite(
    criterion: torch.nn.Module, dtype: torch.dtype, kind: str
) -> None:
    zu, zv = (z.to(dtype) for z in embeddings(32, 64))
    zv = {"random": zv, "alike": zu, "opposed": -zu, "large": zv * 1000}[kind]
    zu, zv = zu.requires_grad_(), zv.detach().clone().requires_grad_()
    losses = criterion(zu, zv)
    assert losses.dtype == torch.float32 and losses.isfinite().all()
    torch.testing.assert_close(losses.double(), criterion(zu.double(), zv.double()), rtol=1e-3, atol=1e-3)
    if dtype == torch.float16 and isinstance(criterion, RINCE) and criterion.q == 0.5:
        return  # its true gradient, about exp(50), has no float16
    losses.mean().backward()
    assert zu.grad is not None and zu.grad.isfinite().all()
    assert zv.grad is not None and zv.grad.isfinite().all()


@pytest.mark.parametrize("criterion", [*CONTRASTS, NegativeCosine()], ids=repr)
def test_autocast_does_not_cost_precision(criterion: torch.nn.Module) -> None:
    zu, zv = (z.float() for z in embeddings())
    with torch.autocast("cpu", dtype=torch.bfloat16):
        losses = criterion(zu, zv)
    assert torch.equal(losses, criterion(zu, zv))


@pytest.mark.parametrize("criterion", [*CONTRASTS, NegativeCosine()], ids=repr)
def test_a_zero_vector_is_orthogonal_to_all_and_gets_no_gradient(criterion: torch.nn.Module) -> None:
    zu, zv = embeddings(5, 6)
    zu[2] = 0
    wide = [torch.nn.functional.pad(z, (0, 1)) for z in (zu, zv)]
    wide[0][2, -1] = 1.0  # a direction that nobody else has
    torch.testing.assert_close(criterion(zu, zv), criterion(*wide))
    zu.requires_grad_()
    criterion(zu, zv).sum().backward()
    assert zu.grad is not None and (zu.grad[2] == 0).all() and zu.grad.isfinite().all()


@pytest.mark.slow
@each_contrast
def test_compiled_losses_are_the_same(criterion: Contrast) -> None:
    zu, zv = (z.requires_grad_() for z in embeddings())
    compiled = torch.compile(criterion, backend="aot_eager")
    for keep in (None, torch.tensor([True, False, True, True, False, True, True])):
        losses, expected = compiled(zu, zv, keep), criterion(zu, zv, keep)
        torch.testing.assert_close(losses, expected)
        gradient = torch.autograd.grad(losses.sum(), [zu, zv])
        torch.testing.assert_close(gradient, torch.autograd.grad(expected.sum(), [zu, zv]))


def test_losses_are_made_by_name() -> None:
    assert isinstance(build_loss("infonce", temperature=0.1), InfoNCE)
    assert repr(build_loss("rince", q=0.5)) == "RINCE(temperature=0.2, q=0.5, lam=0.01, one_sided=False)"
    with pytest.raises(PairsiftError, match="unknown loss 'triplet'; there are infonce, rince"):
        build_loss("triplet")


@pytest.mark.parametrize(
    ("zu", "zv", "negatives", "words"),
    [
        (torch.ones(1, 4), torch.ones(1, 4), None, "a batch of 1 has no negatives"),
        (torch.ones(3, 4), torch.ones(3, 5), None, r"one shape .*\(3, 4\) and \(3, 5\)"),
        (torch.ones(3), torch.ones(3), None, "one shape"),
        (torch.ones(3, 4).long(), torch.ones(3, 4), None, "floating point, got torch.int64"),
        (torch.ones(3, 4), torch.ones(3, 4), torch.ones(3), "boolean mask of shape"),
        (torch.ones(3, 4), torch.ones(3, 4), torch.ones(4, dtype=torch.bool), r"shape \(4,\)"),
    ],
)
def test_bad_input_is_one_sentence(zu: Tensor, zv: Tensor, negatives: Tensor | None, words: str) -> None:
    with pytest.raises(PairsiftError, match=words):
        InfoNCE()(zu, zv, negatives)


def test_bad_settings_are_one_sentence() -> None:
    with pytest.raises(PairsiftError, match="temperature must be above 0, got 0"):
        InfoNCE(0)
    with pytest.raises(PairsiftError, match="q and lam must lie in"):
        RINCE(q=0)
    with pytest.raises(PairsiftError, match="overflows at q=1"):
        RINCE(0.01, q=1.0)
    with pytest.raises(PairsiftError, match=r"bank must have shape \(rows, 4\), got \(2, 5\)"):
        InfoNCE().against(torch.ones(3, 4), torch.ones(3, 4), torch.ones(2, 5))
