"""Features for scikit-learn: an encoder in a pipeline, in a grid search, and its table of bad pairs.

python examples/sklearn_pipeline.py --epochs 10
"""

import argparse

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from pairsift import ContrastiveEncoder
from pairsift.data import simulate


def main(epochs: int, count: int) -> None:
    splits = simulate(count, count, count // 10, count // 10, n_val=0)
    train, test = splits.train, splits.test

    # The same three lines as any transformer; labels are not looked at.
    encoder = ContrastiveEncoder("simclr", mining="dbpm", epochs=epochs, dataset="simulated", random_state=0)
    features = encoder.fit(train.x).transform(train.x)  # (N, C, T) -> (N, D)
    print(f"{train.x.shape} -> {features.shape}")

    # Which series would somebody want to look at?
    table = encoder.bad_pairs_
    print(table["kind"].value_counts().to_string())
    print("most suspect:", table.sort_values("score", ascending=False)["index"].head().tolist())

    # In a pipeline, from series to classes.
    classify = LogisticRegression(max_iter=500)
    pipeline = make_pipeline(encoder, StandardScaler(), classify)
    pipeline.fit(train.x, train.y)
    print(f"accuracy {pipeline.score(test.x, test.y):.3f}")

    # What suits this data? A search over the encoder's own parameters, judged by labels.
    search = GridSearchCV(pipeline, {"contrastiveencoder__mining": ["none", "dbpm"]}, cv=2)
    search.fit(train.x, train.y)
    print(f"best: {search.best_params_} with {search.best_score_:.3f}")

    # Data frames come out on request.
    framed = encoder.set_output(transform="pandas").transform(test.x[:3])
    print(framed.iloc[:, :3].to_string())
    assert np.array_equal(framed.to_numpy(), encoder.set_output(transform="default").transform(test.x[:3]))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument(
        "--count", type=int, default=300, help="series to simulate, for training and for the test"
    )
    given = parser.parse_args()
    main(given.epochs, given.count)
