"""The works that the methods come from, by author and year, with their BibTeX.

An entry says what the five papers print of themselves and what their lists of references print of
the others. What they do not print, such as a page or a DOI, is left out. Ni et al. and Feldman et
al. print no year of their own: theirs stands in the key, by which the works are commonly cited, and
not in the entry.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from dpcore._version import __version__


@dataclass(frozen=True)
class Reference:
    """A work to cite: its authors in order, its title, and what else is known of it."""

    key: str
    kind: str
    authors: tuple[str, ...]
    title: str
    fields: Mapping[str, str] = field(default_factory=dict)

    @property
    def year(self) -> str:
        return self.key[-4:]

    @property
    def short(self) -> str:
        """As it is named in a sentence: Su et al. (2016)."""
        last = [author.split()[-1] for author in self.authors]
        if len(last) > 2:
            return f"{last[0]} et al. ({self.year})"
        return f"{' and '.join(last)} ({self.year})"

    @property
    def full(self) -> str:
        """With all its authors and its title."""
        *others, last = (author.split()[-1] for author in self.authors)
        names = f"{', '.join(others)} and {last}" if others else last
        return f"{names} ({self.year}): {self.title}"

    @property
    def bibtex(self) -> str:
        fields = {
            "author": " and ".join(self.authors),
            "title": f"{{{self.title}}}",
            **self.fields,
        }
        lines = "".join(f"  {name} = {{{value}}},\n" for name, value in fields.items())
        return f"@{self.kind}{{{self.key},\n{lines}}}"


_WORKS = (
    Reference(
        "su2016",
        "inproceedings",
        ("Dong Su", "Jianneng Cao", "Ninghui Li", "Elisa Bertino", "Hongxia Jin"),
        "Differentially private k-means clustering",
        {
            "booktitle": "Proceedings of the Sixth ACM Conference on Data and Application Security "
            "and Privacy",
            "pages": "26--37",
            "publisher": "ACM",
            "year": "2016",
            "doi": "10.1145/2857705.2857708",
        },
    ),
    Reference(
        "balcan2017",
        "inproceedings",
        (
            "Maria-Florina Balcan",
            "Travis Dick",
            "Yingyu Liang",
            "Wenlong Mou",
            "Hongyang Zhang",
        ),
        "Differentially private clustering in high-dimensional Euclidean spaces",
        {
            "booktitle": "Proceedings of the 34th International Conference on Machine Learning",
            "series": "PMLR",
            "volume": "70",
            "address": "Sydney, Australia",
            "year": "2017",
        },
    ),
    Reference(
        "joshi2022",
        "inproceedings",
        ("Devvrat Joshi", "Janvi Thakkar"),
        "k-means SubClustering: a differentially private algorithm with improved clustering "
        "quality",
        {
            "booktitle": "CIKM-PAS'22: Privacy Algorithms in Systems (PAS) Workshop, Conference on "
            "Information and Knowledge Management",
            "series": "CEUR Workshop Proceedings",
            "year": "2022",
        },
    ),
    Reference(
        "ni2021",
        "misc",
        ("Tianjiao Ni", "Minghao Qiao", "Zhili Chen", "Shun Zhang", "Hong Zhong"),
        "Utility-efficient differentially private k-means clustering based on cluster merging",
    ),
    Reference(
        "feldman2017",
        "misc",
        ("Dan Feldman", "Chongyuan Xiang", "Ruihao Zhu", "Daniela Rus"),
        "Coresets for differentially private k-means clustering and applications to privacy in "
        "mobile sensor networks",
    ),
    Reference(
        "blum2005",
        "inproceedings",
        ("A. Blum", "C. Dwork", "F. McSherry", "K. Nissim"),
        "Practical privacy: the SuLQ framework",
        {
            "booktitle": "Proceedings of the Twenty-fourth ACM SIGACT-SIGMOD-SIGART Symposium on "
            "Principles of Database Systems",
            "pages": "128--138",
            "year": "2005",
        },
    ),
    Reference(
        "nissim2007",
        "inproceedings",
        ("K. Nissim", "S. Raskhodnikova", "A. Smith"),
        "Smooth sensitivity and sampling in private data analysis",
        {
            "booktitle": "Proceedings of the Thirty-ninth Annual ACM Symposium on Theory of "
            "Computing",
            "pages": "75--84",
            "year": "2007",
        },
    ),
    Reference(
        "feldman2009",
        "inproceedings",
        ("D. Feldman", "A. Fiat", "H. Kaplan", "K. Nissim"),
        "Private coresets",
        {
            "booktitle": "Proceedings of the 41st Annual ACM Symposium on Theory of Computing "
            "(STOC)",
            "pages": "361--370",
            "year": "2009",
        },
    ),
    Reference(
        "mcsherry2010",
        "article",
        ("Frank McSherry",),
        "Privacy integrated queries: an extensible platform for privacy-preserving data analysis",
        {
            "journal": "Communications of the ACM",
            "volume": "53",
            "number": "9",
            "pages": "89--97",
            "year": "2010",
            "doi": "10.1145/1810891.1810916",
        },
    ),
    Reference(
        "mohan2012",
        "inproceedings",
        ("P. Mohan", "A. Thakurta", "E. Shi", "D. Song", "D. Culler"),
        "GUPT: privacy preserving data analysis made easy",
        {
            "booktitle": "Proceedings of the 2012 ACM SIGMOD International Conference on "
            "Management of Data",
            "pages": "349--360",
            "year": "2012",
        },
    ),
    Reference(
        "zhang2013",
        "inproceedings",
        ("J. Zhang", "X. Xiao", "Y. Yang", "Z. Zhang", "M. Winslett"),
        "PrivGene: differentially private model fitting using genetic algorithms",
        {
            "booktitle": "Proceedings of the 2013 ACM SIGMOD International Conference on "
            "Management of Data",
            "pages": "665--676",
            "year": "2013",
        },
    ),
    Reference(
        "qardaji2013",
        "inproceedings",
        ("Wahbeh Qardaji", "Weining Yang", "Ninghui Li"),
        "Differentially private grids for geospatial data",
        {
            "booktitle": "Proceedings of the 29th IEEE International Conference on Data "
            "Engineering",
            "pages": "757--768",
            "year": "2013",
        },
    ),
    Reference(
        "zhang2016",
        "inproceedings",
        ("Jun Zhang", "Xiaokui Xiao", "Xing Xie"),
        "PrivTree: a differentially private algorithm for hierarchical decompositions",
        {
            "booktitle": "Proceedings of the 2016 ACM SIGMOD International Conference on "
            "Management of Data",
            "pages": "155--170",
            "eprint": "1601.03229",
            "archiveprefix": "arXiv",
            "year": "2016",
        },
    ),
    Reference(
        "muthukrishnan2026",
        "misc",
        ("Gokularam Muthukrishnan", "Anshoo Tandon"),
        "On the optimal number of grids for differentially private non-interactive k-means "
        "clustering",
        {"eprint": "2603.26963", "archiveprefix": "arXiv", "year": "2026"},
    ),
    Reference(
        "beimel2014",
        "misc",
        ("A. Beimel", "K. Nissim", "U. Stemmer"),
        "Private learning and sanitization: pure vs. approximate differential privacy",
        {"eprint": "1407.2674", "archiveprefix": "arXiv", "year": "2014"},
    ),
    Reference(
        "nissim2016",
        "misc",
        ("K. Nissim", "U. Stemmer", "S. Vadhan"),
        "Locating a small cluster privately",
        {"year": "2016"},
    ),
    Reference(
        "nock2016",
        "misc",
        ("Richard Nock", "Raphaël Canyasse", "Roksana Boreli", "Frank Nielsen"),
        "k-variates++: more pluses in the k-means++",
        {"eprint": "1602.01198", "archiveprefix": "arXiv", "year": "2016"},
    ),
    Reference(
        "lu2020",
        "article",
        ("Z. Lu", "H. Shen"),
        "Differentially private k-means clustering with convergence guarantee",
        {"journal": "IEEE Transactions on Dependable and Secure Computing", "year": "2020"},
    ),
)
#: Every work that may be cited, by its key.
REFERENCES: Mapping[str, Reference] = {work.key: work for work in _WORKS}

#: This project, where a method comes from no paper.
OWN = "ours"
#: Another package, where a method was installed from there.
ELSEWHERE = "elsewhere"
OWN_BIBTEX = (
    "@software{dpcore,\n"
    "  author = {{The dpcore developers}},\n"
    "  title = {{dpcore: differentially private k-means}},\n"
    f"  version = {{{__version__}}},\n"
    "}"
)
#: Earlier keys of the five papers, which addresses and commands still take.
NUMBERS: Mapping[str, str] = {
    "000": "su2016",
    "001": "balcan2017",
    "002": "joshi2022",
    "003": "ni2021",
    "004": "feldman2017",
}


#: Works of other authors whose methods stand beside those of the five papers.
BESIDE = ("qardaji2013", "zhang2016", "muthukrishnan2026")


def paper_key(text: str) -> str:
    """The key of a paper, given as its key or as an earlier one."""
    return NUMBERS.get(text, text)


#: The five papers, others with a method here, and this project, in words, by key.
PAPERS: dict[str, str] = {
    **{key: REFERENCES[key].full for key in (*NUMBERS.values(), *BESIDE)},
    OWN: "This project",
}


def short(key: str) -> str:
    """A paper as it is named in a sentence: Su et al. (2016), or this project."""
    names = {OWN: "This project", ELSEWHERE: "Another package"}
    return names[key] if key in names else REFERENCES[key].short


def bibtex(*keys: str) -> str:
    """The entries of some works, in order and each once; this project's own among them."""
    ordered = dict.fromkeys(keys)
    texts = {OWN: OWN_BIBTEX, ELSEWHERE: "% Ask the authors of the package how to cite it."}
    return "\n\n".join(texts[key] if key in texts else REFERENCES[key].bibtex for key in ordered)
