"""PubMed: biomedical papers with abstracts; first their numbers, then what they say."""

from dataclasses import dataclass
from typing import ClassVar

from leadline.search.parsing import hits_from, json_object, list_at, row_at, xml_root
from leadline.search.provider import Request
from leadline.types import Hit

_PATHS = ("PMID", "Article/ArticleTitle", "Article/Abstract/AbstractText", "Article/Journal//Year")


@dataclass(frozen=True)
class PubMed:
    name: ClassVar[str] = "pubmed"
    pubmed_api_key: str = ""

    def request(self, query: str, k: int) -> Request:
        return self._post("esearch", term=query, retmax=str(k), retmode="json", sort="relevance")

    def follow(self, body: bytes) -> Request | None:
        ids = list_at(json_object(body), "esearchresult", "idlist")
        return self._post("efetch", id=",".join(ids), retmode="xml") if ids else None

    def parse(self, body: bytes) -> tuple[Hit, ...]:
        papers = xml_root(body, "PubmedArticleSet").iterfind("PubmedArticle/MedlineCitation")
        return hits_from((row_at(p, *_PATHS) for p in papers), "https://pubmed.ncbi.nlm.nih.gov/")

    def _post(self, tool: str, **form: str) -> Request:
        key = {"api_key": self.pubmed_api_key} if self.pubmed_api_key else {}
        url = f"https://eutils.ncbi.nlm.nih.gov/entrez/eutils/{tool}.fcgi"
        return Request(url, form={"db": "pubmed", "tool": "leadline"} | form | key)
