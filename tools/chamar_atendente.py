"""Ask for a person: the run ends with a hand-over."""

from pydantic import Field

from tools import portuguese
from tools.argument_types import one_line
from tools.contract import Arguments, Tool, ToolContext, ToolOutcome
from tools.facts import PersonCalled

MAX_MOTIVE = 300  # the rest is cut: nobody who asks for a person is refused for a long sentence


class ChamarAtendente(Arguments):
    """The arguments of chamar_atendente."""

    motivo: str = Field(
        description="Por que o cliente precisa de uma pessoa, em uma frase curta para a equipe.",
        examples=["Quer negociar um pacote de noiva"],
    )


def run(_context: ToolContext, wish: ChamarAtendente) -> ToolOutcome:
    motive = portuguese.shortened(one_line(wish.motivo), MAX_MOTIVE) or "Sem motivo informado"
    text = "Pedido registrado: uma pessoa da equipe vai continuar esta conversa."
    return ToolOutcome(text, (PersonCalled(motive),))


TOOL = Tool(
    name="chamar_atendente",
    description=(
        "Passa a conversa para uma pessoa da equipe. Use quando o cliente pedir para falar com alguém, "
        "reclamar, tratar de pagamento ou de saúde, ou precisar de algo que as outras ferramentas não fazem. "
        "Não use para o que você mesmo pode resolver com as outras ferramentas. Depois dela, apenas avise o "
        "cliente que uma pessoa vai continuar; não prometa prazo."
    ),
    arguments=ChamarAtendente,
    run=run,
)
