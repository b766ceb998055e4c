"""Holes: their shapes, their cursors and their shares."""

import unittest
from dataclasses import replace
from random import Random

from flashline_training.fim import FimOptions, Infill, choose_hole, infill
from tests.made_up_text import CODE


def holes(count: int, options: FimOptions = FimOptions()) -> list[Infill]:
    random = Random(5)
    made = [infill(CODE, random, replace(options, open_end=0.0, near_end=0.0)) for _ in range(count)]
    return [hole for hole in made if hole is not None]


class HoleTest(unittest.TestCase):
    def test_prefix_middle_and_suffix_join_to_the_text(self) -> None:
        made = holes(2000)
        self.assertGreater(len(made), 1990)
        for hole in made:
            self.assertEqual(hole.prefix + hole.middle + hole.suffix, CODE)
            self.assertTrue(hole.middle.strip())

    def test_shapes_cursors_and_orders_of_holes_have_their_shares(self) -> None:
        made = holes(4000)
        share = lambda matches: sum(map(matches, made)) / len(made)
        inside = lambda hole: bool(hole.prefix) and is_word(hole.prefix[-1]) and is_word(hole.middle[0])
        self.assertGreater(share(inside), 0.3)
        self.assertGreater(share(lambda hole: "\n" not in hole.middle), 0.55)
        self.assertGreater(share(lambda hole: hole.middle.count("\n") > 1), 0.1)
        self.assertGreater(share(lambda hole: hole.suffix[:1] not in ("", "\n")), 0.12)
        self.assertAlmostEqual(share(lambda hole: hole.suffix_first), 0.6, delta=0.03)

    def test_middles_and_suffixes_have_the_form_of_their_shape(self) -> None:
        for shape in FimOptions().shapes:
            options = FimOptions(shapes={shape: 1.0})
            made = holes(300, options)
            self.assertTrue(made, shape)
            if shape in ("rest", "own lines", "lines", "block"):
                self.assertTrue(all(hole.suffix[:1] in ("", "\n") for hole in made), shape)
            if shape in ("rest", "inner"):
                self.assertTrue(all("\n" not in hole.middle for hole in made), shape)
            if shape == "whole lines":
                self.assertTrue(all(f"\n{hole.prefix}"[-1] == hole.middle[-1] == "\n" for hole in made))
            if shape == "lines":
                self.assertLess(max(hole.middle.count("\n") for hole in made), options.most_lines)

    def test_each_kind_of_cursor_has_its_position(self) -> None:
        starts = {kind: holes(300, FimOptions(shapes={"rest": 1.0}, cursors={kind: 1.0})) for kind in FimOptions().cursors}
        in_word = lambda hole: hole.prefix != "" and is_word(hole.prefix[-1]) and is_word(hole.middle[0])
        inside = {kind: sum(map(in_word, made)) / len(made) for kind, made in starts.items()}
        self.assertGreater(inside["in word"], 0.85)
        self.assertEqual(inside["border"], 0)
        self.assertTrue(0.2 < inside["any"] < 0.8)
        typed = [len(hole.prefix.rsplit("\n", 1)[-1].lstrip()) for hole in starts["typed"]]
        self.assertTrue(all(1 <= count <= 6 for count in typed))

    def test_block_middles_are_the_deeper_lines(self) -> None:
        options = FimOptions(shapes={"block": 1.0}, own_line=0.0, line_start=0.0, closed_block=0.0)
        middles = {hole.middle for hole in holes(300, options)}
        self.assertIn("\n    return [];", middles)
        self.assertIn("\n  readonly path: string;\n  readonly encoding?: string;", middles)

    def test_new_lines_can_go_on_to_the_end_of_their_block(self) -> None:
        made = holes(300, FimOptions(shapes={"own lines": 1.0}, one_line=0.0, to_block_end=1.0))
        depths = lambda text: [len(line) - len(line.lstrip()) for line in text.split("\n") if line.strip()]
        for hole in made:
            before = "" if hole.middle.startswith("\n") else hole.prefix.rsplit("\n", 1)[-1]
            depth = depths(before + hole.middle)[0]
            self.assertTrue(depth == 0 or depths(hole.suffix)[0] < depth)

    def test_new_lines_are_up_to_four_and_none_is_less_deep_than_the_first(self) -> None:
        made = holes(600, FimOptions(shapes={"own lines": 1.0}, to_block_end=0.0))
        counts = {len(hole.middle.strip("\n").split("\n")) for hole in made}
        self.assertEqual(counts, {1, 2, 3, 4})
        for hole in made:
            before = "" if hole.middle.startswith("\n") else hole.prefix.rsplit("\n", 1)[-1]
            lines = (before + hole.middle).strip("\n").split("\n")
            depths = [len(line) - len(line.lstrip()) for line in lines if line.strip()]
            self.assertEqual(min(depths), depths[0])

    def test_at_an_open_end_the_middle_completes_the_construct_that_it_begins(self) -> None:
        options = FimOptions(open_end=1.0, shapes={"rest": 1.0}, cursors={"typed": 1.0})
        made = [hole for hole in (infill(CODE, Random(seed), options) for seed in range(300)) if hole]
        lines = [hole.prefix.rsplit("\n", 1)[-1] + hole.middle for hole in made]
        interface = "export interface Options {\n  readonly path: string;\n  readonly encoding?: string;\n}"
        self.assertIn(interface, lines)
        self.assertNotIn("export interface Options {", lines)
        self.assertIn("  if (text === '') {\n    return [];\n  }", lines)
        self.assertIn("  const { path, encoding = 'utf8' } = options;", lines)

    def test_an_open_end_makes_no_middle_shorter(self) -> None:
        text = "if (a) {\n  b();\n}\nc();\nd();\n"
        options = FimOptions(shapes={"lines": 1.0}, near_end=0.0)
        for seed in range(300):
            hole = choose_hole(text, Random(seed), options)
            opened = infill(text, Random(seed), replace(options, open_end=1.0))
            assert hole is not None and opened is not None
            self.assertTrue(opened.middle.startswith(text[hole.start : hole.end]))

    def test_at_most_a_line_break_follows_an_open_end(self) -> None:
        made = [infill(CODE, Random(seed), FimOptions(open_end=1.0, shapes={"lines": 1.0})) for seed in range(50)]
        self.assertEqual({hole.suffix for hole in made if hole}, {"", "\n"})

    def test_middles_that_end_inside_a_line_are_followed_by_its_rest(self) -> None:
        options = FimOptions(open_end=1.0, near_end=0.0, shapes={"inner": 1.0})
        made = [hole for hole in (infill(CODE, Random(seed), options) for seed in range(300)) if hole]
        inside = [hole for hole in made if hole.suffix not in ("", "\n")]
        self.assertGreater(len(inside) / len(made), 0.8)
        self.assertTrue(all(CODE.endswith(hole.middle + hole.suffix) for hole in inside))
        split = [is_word(hole.middle[-1]) and is_word(hole.suffix[0]) for hole in inside]
        self.assertGreater(sum(split) / len(split), 0.05)

    def test_near_the_end_the_rest_of_the_line_and_a_few_lines_follow(self) -> None:
        options = FimOptions(open_end=0.0, near_end=1.0)
        # Characters at which Python ends lines, but editors do not.
        for text in (CODE, CODE.replace(" ", "\f\v\x1c\x85")):
            for seed in range(300):
                hole = infill(text, Random(seed), options)
                assert hole is not None
                start = len(hole.prefix) + len(hole.middle)
                self.assertTrue(text.startswith(hole.suffix, start))
                self.assertTrue(hole.suffix.endswith("\n") or start == len(text))
                self.assertLessEqual(hole.suffix.count("\n"), 1 + options.most_after)

    def test_the_cursor_of_a_new_line_has_three_positions(self) -> None:
        before = [hole.prefix for hole in holes(600, FimOptions(shapes={"own lines": 1.0}))]
        at_start = sum(prefix.endswith("\n") for prefix in before) / len(before)
        indented = sum(prefix.endswith(" ") for prefix in before) / len(before)
        self.assertTrue(0.1 < at_start and 0.1 < indented and at_start + indented < 0.95)

    def test_middles_between_two_points_have_any_length(self) -> None:
        lengths = [len(hole.middle) for hole in holes(2000, FimOptions(shapes={"any": 1.0}))]
        self.assertGreater(sum(length < 10 for length in lengths) / len(lengths), 0.2)
        self.assertGreater(sum(length > 100 for length in lengths) / len(lengths), 0.15)

    def test_texts_of_blank_lines_get_no_hole(self) -> None:
        self.assertIsNone(choose_hole("", Random(1), FimOptions()))
        self.assertIsNone(choose_hole("\n\n  \n", Random(1), FimOptions()))

    def test_holes_in_unusual_texts_join_to_the_text(self) -> None:
        for text in ("x", "a\n", "}\n}\n}", "\tx\n\n\n", "if a:\n    b\n", "a" * 50, "x\n\n\n\n"):
            for seed in range(200):
                hole = infill(text, Random(seed), FimOptions(open_end=0.0, near_end=0.0))
                if hole is not None:
                    self.assertEqual(hole.prefix + hole.middle + hole.suffix, text)


def is_word(char: str) -> bool:
    return char.isalnum() or char in "_$"


if __name__ == "__main__":
    unittest.main()
