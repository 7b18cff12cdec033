"""What the model may do: the tools, in the order in which it sees them."""

from tools import (
    agendar,
    buscar_horarios,
    buscar_servicos,
    cancelar,
    chamar_atendente,
    lista_de_espera,
    meus_agendamentos,
    remarcar,
)
from tools.contract import Tool

TOOLS: tuple[Tool, ...] = (
    buscar_servicos.TOOL,
    buscar_horarios.TOOL,
    agendar.TOOL,
    meus_agendamentos.TOOL,
    remarcar.TOOL,
    cancelar.TOOL,
    lista_de_espera.TOOL,
    chamar_atendente.TOOL,
)
