"""bench: run a declared matrix of experiments, and make tables and figures of what was run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pairsift.cli import options as opt
from pairsift.cli.show import echo
from pairsift.errors import PairsiftError

bench = typer.Typer(
    name="bench", help="Run the paper's experiments and lay out what they say.", no_args_is_help=True
)


def register(app: typer.Typer) -> None:
    """Add this group."""
    app.add_typer(bench)


@bench.command()
def run(
    spec: Annotated[list[Path], typer.Argument(help="TOML files; see bench/.")],
    out: Annotated[
        Path, typer.Option("--out", "-o", help="The folder of results; what is there is skipped.")
    ],
    jobs: Annotated[int, typer.Option("--jobs", "-j", help="Cells at a time, one thread each.")] = 1,
    ray: Annotated[
        str | None,
        typer.Option("--ray", help="A Ray cluster: its address, auto or local."),
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option(
            "--only", metavar="FIELD=VALUE", help="Only such cells, as dataset=har,epilepsy or variant=mend."
        ),
    ] = None,
    plan: Annotated[bool, typer.Option("--plan", help="Say what would run, and stop.")] = False,
    root: opt.Root = None,
) -> None:
    """Run what is missing; interrupt it whenever you like and give the same command again.

    Example: `pairsift bench run bench/table2.toml --out results --jobs 2`
    """
    from pairsift.bench.machine import run_specs
    from pairsift.bench.matrix import read_spec

    try:
        failures = run_specs(
            [read_spec(path) for path in spec],
            out,
            jobs=jobs,
            ray=ray,
            root=str(root) if root else None,
            only=only or (),
            plan=plan,
            say=lambda line: echo(line, err=not plan),
        )
    except KeyboardInterrupt:
        echo("stopped; finished cells are kept, the same command goes on", err=True)
        raise typer.Exit(130) from None
    for sentence in failures:
        echo(f"failed: {sentence}", err=True)
    if failures:
        echo(f"{len(failures)} cells failed; {out / 'errors.log'} says how", err=True)
        raise typer.Exit(1)


@bench.command()
def table(
    folder: Annotated[Path, typer.Argument(help="A folder of results.")],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="A Markdown file; else it is printed.")
    ] = None,
) -> None:
    """Lay results out beside the paper's; writes FOLDER/tables.json too.

    Example: `pairsift bench table results --out docs/results.md`
    """
    from pairsift.bench.page import build_page
    from pairsift.bench.store import write_lines
    from pairsift.training.checkpoint import write_whole

    _needs_specs(folder)
    page, content = build_page(folder)
    write_lines(folder / "tables.json", content)
    if out is None:
        echo(page)
        return
    out.parent.mkdir(parents=True, exist_ok=True)
    write_whole(out, page.encode())
    echo(f"written to {out} and {folder / 'tables.json'}")


@bench.command()
def figure(
    folder: Annotated[Path, typer.Argument(help="A folder of results.")],
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Where PNG files go.")] = None,
) -> None:
    """Draw the paper's figures from results; those without results are left out and named.

    Example: `pairsift bench figure results --out docs/figures`
    """
    from pairsift.bench.drawn import draw_all

    _needs_specs(folder)
    for line in draw_all(folder, out or folder / "figures"):
        echo(line)


def _needs_specs(folder: Path) -> None:
    if not (folder / "specs").is_dir():
        raise PairsiftError(
            f"{folder} holds no results; make some with pairsift bench run SPEC --out {folder}"
        )
