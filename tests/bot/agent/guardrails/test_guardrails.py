"""What may not reach a customer, and what may: tables of sentences."""
# ruff: noqa: E501  # a sentence is read along its line

import re
from collections.abc import Mapping
from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bot.agent import guardrails
from bot.agent.guardrails import claim_patterns, fault, promises
from bot.agent.guardrails.claim_patterns import Kind
from bot.agent.guardrails.evidence import Evidence
from bot.agent.guardrails.wording import Named, Table, compiled, named, normalise, sentences
from models.appointment import AppointmentStatus, Details
from models.catalog import Offer
from models.handoff import Reason
from tools import portuguese

ANA, BIA, CAIO = (1, "Ana Souza"), (2, "Bia Lima"), (3, "Caio Prado")
OFFERS = (
    Offer(1, "Corte feminino", 60, 10, 12000, professionals=(ANA, BIA)),
    Offer(2, "Escova", 45, 0, 8000, professionals=(ANA, BIA)),
    Offer(3, "Corte masculino", 30, 0, 6000, professionals=(BIA, CAIO)),
    Offer(4, "Barba", 30, 0, 4000, professionals=(CAIO,)),
    Offer(5, "Corte e barba", 60, 0, 9000, professionals=(CAIO,)),
    Offer(6, "Pacote completo", 240, 0, 50000, professionals=(ANA,)),
)


def offers() -> tuple[Offer, ...]:
    return OFFERS


NOTHING = Evidence(offers=offers)
STANDING = Evidence(
    appointments=(
        "agendamento_id 7: Corte feminino com Ana Souza (profissional_id 1), quarta-feira, 02/12/2026, às 11:30.",
    ),
    today=date(2026, 12, 1),
    offers=offers,
)
BOOKED = Evidence(
    writes=(
        "Agendado (agendamento_id 7): Corte feminino com Ana Souza, quarta-feira, 02/12/2026, às 11:30 "
        "(60 min, R$ 120,00).",
    ),
    today=date(2026, 12, 1),
    offers=offers,
)
MOVED = Evidence(
    STANDING.appointments,
    (
        "Remarcado (agendamento_id 7): Corte feminino com Ana Souza, de quarta-feira, 02/12/2026, às 11:30, para "
        "quinta-feira, 03/12/2026, às 10:00.",
    ),
    date(2026, 12, 1),
    offers=offers,
)
CANCELLED = Evidence(
    STANDING.appointments,
    ("Cancelado (agendamento_id 7): Corte feminino com Ana Souza, quarta-feira, 02/12/2026, às 11:30.",),
    date(2026, 12, 1),
    offers=offers,
)
WAITING = Evidence(
    writes=(
        "Na lista de espera: Corte feminino (servico_id 1), sábado, 05/12/2026, de manhã, com Ana Souza. Se abrir um "
        "horário, o cliente recebe uma mensagem e tem um tempo limitado para responder.",
    ),
    today=date(2026, 12, 1),
    offers=offers,
)
STILL_WAITING = Evidence(
    waits=(
        "O cliente está na lista de espera: Corte feminino (servico_id 1), sábado, 05/12/2026.",
        "Oferta da lista de espera: Escova (servico_id 2) com Bia Lima (profissional_id 2), sexta-feira, 04/12/2026, às "
        "15:00 (data 2026-12-04, hora 15:00), guardada para o cliente até as 12:00.",
    ),
    today=date(2026, 12, 1),
    offers=offers,
)
TWO = Evidence(
    writes=(
        *BOOKED.writes,
        "Agendado (agendamento_id 8): Corte e barba com Caio Prado, sexta-feira, 04/12/2026, às 09:00 (60 min, R$ 90,00).",
    ),
    today=date(2026, 12, 1),
    offers=offers,
)
TO_BIA = Evidence(
    STANDING.appointments,
    (
        "Remarcado (agendamento_id 7): Corte feminino com Bia Lima, de quarta-feira, 02/12/2026, às 11:30, para "
        "quinta-feira, 03/12/2026, às 10:00.",
    ),
    date(2026, 12, 1),
    offers=offers,
)

THREE = Evidence(
    appointments=(
        *STANDING.appointments,
        "agendamento_id 8: Escova com Bia Lima (profissional_id 2), sexta-feira, 04/12/2026, às 09:00.",
        "agendamento_id 9: Barba com Caio Prado (profissional_id 3), sexta-feira, 04/12/2026, às 15:00.",
    ),
    today=date(2026, 12, 1),
    offers=offers,
)
ONE_MOVED = THREE.with_writes(
    (
        "Remarcado (agendamento_id 7): Corte feminino com Ana Souza, de quarta-feira, 02/12/2026, às 11:30, para "
        "quinta-feira, 03/12/2026, às 10:00.",
    )
)
ONE_CANCELLED = THREE.with_writes(
    ("Cancelado (agendamento_id 8): Escova com Bia Lima, sexta-feira, 04/12/2026, às 09:00.",)
)


def kind_of(text: str, evidence: Evidence = NOTHING, *, final: bool = False) -> str | None:
    found = fault(text, evidence, final=final)
    return found and found.kind


# Ordinary sentences: none of them may be stopped

ORDINARY = """
Oi, Maria! Tudo bem? Em que posso ajudar?
Olá! Sou o assistente virtual do Studio Bela. Posso te ajudar a marcar, remarcar ou cancelar um horário 😊
Bom dia! Qual serviço você gostaria de fazer?
Temos *Corte feminino* (60 min, R$ 120,00) e *Escova* (45 min, R$ 80,00). Qual você prefere?
Com a Ana ou com a Bia?
Para quarta-feira, 02/12, a Ana tem livre: 11:30, 13:00 e 13:30. Qual fica melhor?
Posso marcar Corte feminino com Ana Souza, quarta-feira, 02/12/2026, às 11:30, por R$ 120,00?
Confirmando: *Corte feminino* com *Ana Souza*, quarta-feira, 02/12, às 11:30. Posso marcar?
Só para confirmar: corte com a Ana, quinta-feira, 03/12, às 10h. Está certo?
Quer que eu deixe marcado para quarta às 11h30?
Quer que eu agende para as 15h?
Ficou marcado para qual dia?
Você já tem horário marcado com a gente?
Seu horário já está confirmado?
Não consegui marcar para esse horário, porque ele acabou de ser ocupado. Que tal às 14:00?
Infelizmente não foi possível agendar às 10:00: a Ana estará de folga nesse dia.
Seu horário ainda não está confirmado. Falta só me dizer o nome do profissional 🙂
Ainda não marquei nada, tá? Só preciso que você confirme o dia.
Nada foi cancelado. Seu pedido precisa ser confirmado antes.
O horário não foi cancelado, porque faltam menos de 2 horas.
Você não tem nenhum horário marcado no momento. Quer marcar um?
Não encontrei nenhum agendamento confirmado no seu nome.
Assim que você confirmar, eu marco.
Assim que você confirmar, seu horário fica reservado.
Se quiser, posso agendar para sexta-feira, 04/12, às 9h.
Se você confirmar, deixo agendado para as 15h.
Caso prefira, posso cancelar o de quarta e marcar outro dia.
Quando você me disser o dia, eu vejo os horários.
Seu horário só fica confirmado depois do seu "sim".
Para cancelar, é só avisar com pelo menos 2 horas de antecedência.
Para remarcar, me diga o novo dia e a hora que prefere.
Cancelamentos e remarcações podem ser feitos até 2 horas antes do horário marcado.
O cancelamento pode ser feito por aqui mesmo, até duas horas antes.
Horários cancelados com menos de 2 horas de antecedência não têm reembolso.
Atendemos só com hora marcada, de terça a sábado, das 9h às 18h.
Trabalhamos com horário marcado.
Estamos abertos de segunda a sexta, das 9h às 18h, e sábado das 9h às 13h.
Estamos abertos hoje até as 18h, horário confirmado pelo Google também.
No sábado abrimos às 9h e fechamos às 13h.
Não abrimos aos domingos e feriados.
Fechado aos domingos; sábado das 9h às 13h.
Ficamos na Rua Augusta, 1000 - São Paulo. Tem estacionamento no local.
O estacionamento está garantido para clientes.
Seu pagamento foi confirmado na recepção? Por aqui eu não consigo ver.
O pagamento é feito no local, por Pix ou cartão.
Aceitamos Pix, cartão e dinheiro.
O corte feminino custa R$ 120,00 e dura 60 minutos.
A escova leva cerca de 45 minutos; o preço é sob consulta.
Esse horário já está reservado. Tenho 14:00 e 15:30 livres no mesmo dia.
O horário das 10h já foi agendado por outra pessoa. Que tal 10h30?
Às 11:30 já está ocupado, mas tenho 13:00.
A agenda da Ana já está cheia nesse dia. Pode ser com a Bia?
Nesse horário a Ana já tem outro cliente agendado.
Não há horário livre no domingo, 06/12: o Studio Bela não abre nesse dia. O mais próximo é segunda-feira, 07/12, às 09:00.
Os horários mais próximos são: segunda-feira, 07/12, às 09:00, ou terça-feira, 08/12, às 10:00. Algum serve?
Seu último horário possível nesse dia seria às 17h. Serve?
Você quer dizer sexta-feira, 04/12, ou sexta-feira, 11/12?
A data 04/12/2026 é uma sexta-feira, e não quinta. Qual das duas você quer?
Você disse que já está marcado para as 10h, mas não encontrei esse agendamento. Pode me dizer o dia?
Você mencionou que cancelou na semana passada. Quer marcar de novo?
Quando você diz "está confirmado para terça", é com qual profissional?
Posso cancelar o seu horário de quarta-feira, 02/12, às 11:30? Depois de cancelado, ele fica livre para outra pessoa.
Tem certeza de que quer cancelar?
Prefere remarcar em vez de cancelar?
Entendi! Para qual dia você quer mudar?
Claro! Qual é o seu nome, por favor?
Prazer, Maria! Para qual dia você gostaria?
Que ótimo! Então vamos lá: qual serviço?
Perfeito! Quarta-feira, 02/12, às 11:30, com a Ana. Confirma?
Combinado! Quarta às 11h30 com a Ana, então. Posso confirmar?
Então fica quarta-feira, 02/12, às 11:30, corte com a Ana. Posso agendar?
Então fica quarta às 11h30, certo?
Pronto, estes são os horários livres de quarta: 11:30, 13:00 e 13:30.
Prontinho! Aqui estão os horários de quinta-feira, 03/12: 10:00, 11:00 e 14:00.
Responda *SIM* para confirmar: corte com Ana, quarta-feira, 02/12, às 11:30.
Até logo! 👋
Até quarta!
Obrigada pelo contato! Tenha um ótimo dia.
Por nada! Qualquer coisa é só chamar 💛
De nada! Te esperamos no salão 😊
Imagina! Fico à disposição.
Que pena que não vai conseguir vir. Quer escolher outro dia?
Sinto muito pelo transtorno. Quer que eu chame alguém da equipe?
Se preferir, posso chamar uma pessoa da equipe.
Se quiser falar com um atendente, é só pedir.
Posso te passar para uma pessoa da equipe, se preferir.
Quer que uma pessoa da equipe continue com você?
Nossa equipe adora receber você!
Nossa equipe vai te receber com um cafezinho ☕
Nossa equipe atende de segunda a sexta, das 9h às 18h.
Uma das nossas profissionais é especialista em loiros.
A doutora Paula atende convênio às terças.
Não consigo ouvir áudios. Você pode escrever, por favor?
Não consigo ver imagens por aqui, mas posso te ajudar com horários.
Esse assunto eu não consigo resolver por aqui. Quer que eu chame uma pessoa da equipe?
Por segurança, não informo dados de outros clientes.
Deixa eu ver se entendi: você quer corte e escova no mesmo dia?
Vou verificar os horários de quarta: a Ana tem 11:30 e 13:00.
Vou ver aqui. A Ana tem 11:30 e 13:00 livres na quarta.
Só um momento... Encontrei! Na quinta há 10:00 e 11:00 com a Bia.
Vou marcar corte com a Ana, quarta-feira, 02/12, às 11:30. Pode ser?
Vou cancelar o horário de quarta às 11h30, ok?
Antes de cancelar, me confirma: é o de quarta-feira, 02/12?
Me diga o dia que eu já verifico os horários.
Qual dia você prefere? Assim que me disser, vou verificar a agenda.
Já te passo os valores: corte R$ 120,00 e escova R$ 80,00.
Você recebe um lembrete 24 horas antes e outro 2 horas antes.
Fica a um minuto do metrô Consolação.
Um instante de carinho para você: nosso spa dos pés custa R$ 90,00.
Nossas ferramentas são todas esterilizadas.
Nosso Instagram é @studio_bela e o e-mail é contato_bela@studio.com.br.
O endereço no mapa: https://maps.example.com/studio_bela?x=1
Temos promoção de corte + escova <3
Corte (60 min) | Escova (45 min) | Barba (30 min)
*Corte feminino*: R$ 120,00
Para a escova, chegue com o cabelo lavado, por favor.
A consulta dura 30 minutos e o retorno é grátis em até 15 dias.
O barbeiro Caio atende às quintas a partir das 14h.
O limite é de 3 agendamentos em aberto por cliente, e você já chegou nele. Quer cancelar algum?
Esse dia é feriado e não há atendimento. Que tal na quarta-feira, 09/12?
É preciso agendar com pelo menos 60 minutos de antecedência.
Consigo te encaixar na sexta às 16h com a Bia. Quer?
Dá para deixar marcado corte e barba juntos, um depois do outro. Quer assim?
Podemos deixar reservado para sexta às 16h se você quiser.
Gostaria de deixar agendado o próximo corte também?
O horário que você pediu é às 10h. Confirma?
Prontinho! Seus lembretes foram cancelados. Se mudar de ideia, basta escrever "voltar".
Anotado: você não recebe mais lembretes nem avisos.
Oi! Que bom falar com você de novo 😄 Quer repetir o corte da última vez?
Boa tarde, João! Aqui é da Barbearia Rio Negro. Corte, barba ou os dois?
Para barba temos hoje às 16h, 16h30 e 18h. Qual horário te atende?
O Caio está com a agenda aberta amanhã a partir das 10h.
Quer marcar com o Caio mesmo?
Anotei: corte + barba. Para qual dia?
Anotei seu nome, Maria. Agora me diz o dia, por favor.
Vi aqui que a Ana tem 3 horários na quinta: 09:00, 10:30 e 15:00.
A clínica fica na Av. Paulista, 1500, 8º andar. Traga um documento com foto.
Dr. Paulo atende às segundas e quartas, das 8h às 12h.
A Dra. Helena está de férias até 15/12. O Dr. Paulo tem vaga dia 10/12 às 9h.
O retorno é gratuito se for feito em até 30 dias.
A avaliação é feita na hora e custa R$ 50,00.
Fazemos progressiva, luzes, mechas e hidratação. O valor depende do comprimento.
O horário de funcionamento no dia 24/12 é das 8h às 12h.
No Natal e no Ano Novo estamos fechados.
Não trabalhamos com encaixe, mas posso ver outro dia pra você. Qual prefere?
Me conta: é para você ou para outra pessoa?
Posso colocar você às 14h com a Bia?
Coloco você às 14h com a Bia?
Marco para você então?
Pode ser sexta, 04/12, às 9h, com o Caio?
Fechamos quarta às 11h30 então?
Quarta-feira, 02/12/2026, às 11:30, Corte feminino com Ana Souza, R$ 120,00. Responda "sim" para eu marcar.
É isso mesmo? Corte com a Ana na quarta às 11h30?
Para eu marcar, preciso da sua confirmação.
Se estiver tudo certo, é só responder "sim" que eu marco.
Se estiver tudo certo, é só me dizer "sim", e eu confirmo o seu horário.
Você prefere manter o horário de quarta ou mudar para quinta?
Posso mudar seu horário de quarta, 11:30, para quinta, 10:00?
Então seria remarcar de quarta-feira, 02/12, às 11:30, para quinta-feira, 03/12, às 10:00. Confirma?
Não dá mais para cancelar por aqui, porque faltam menos de 2 horas. Quer que eu chame alguém da equipe?
Mudanças só são aceitas com 2 horas de antecedência.
Esse horário já passou. Quer ver os próximos?
Esse horário acabou de ser preenchido, desculpe! Tenho 13:00 ou 13:30.
Ops, esse horário não está mais disponível. O mais perto é 13:00.
Nesse dia a agenda está lotada.
Quinta está tudo ocupado. Sexta às 10h serve?
A Ana só trabalha de terça a sábado.
A Ana não faz barba, mas o Caio faz.
Domingo não abrimos, mas segunda às 9h tenho vaga.
Você prefere manhã, tarde ou noite?
Temos manhã e tarde. O que fica melhor?
Que dia é melhor para você: 03/12 ou 04/12?
O serviço leva em média 1h30.
Leva 2 horas, então o último horário é às 16h.
Tem tolerância de 10 minutos de atraso. Depois disso, o horário pode ser cancelado.
Se atrasar mais de 15 minutos, seu horário é cancelado automaticamente.
Em caso de falta, é cobrada uma taxa de 50%.
Para noivas, o horário precisa ser reservado com um mês de antecedência.
O pacote precisa ser agendado com a recepção.
Avisa a gente se for se atrasar, tá?
Se acontecer algum imprevisto, é só me avisar que eu remarco.
Se precisar remarcar ou cancelar, me chama aqui com até 2 horas de antecedência.
Quando quiser marcar, é só chamar!
Sem problemas! Quando decidir, me chama.
Tudo bem, fica para a próxima!
Ok, não marco nada por enquanto.
Certo, deixamos como está.
Certo, não vou cancelar. Algo mais?
Tá bom, não mudei nada.
Entendi, você quer cancelar. É o corte de quarta às 11:30?
Você quer cancelar qual deles?
Não achei nenhum agendamento seu por aqui. Quer marcar um?
No momento não consta nenhum horário marcado para você.
Não vejo agendamentos futuros em seu nome.
Bom dia! Vi que você mandou um áudio. Pode escrever o que precisa?
Desculpe, não entendi. Você quer marcar, remarcar ou cancelar?
Desculpe a confusão! O valor correto é R$ 120,00.
Sou um assistente virtual, então não consigo dar orientação médica.
Isso quem pode avaliar é a profissional, no dia.
A profissional vai avaliar seu cabelo na hora e te indicar o melhor tratamento.
A Ana vai te explicar tudo no dia.
Não posso te passar o telefone da Ana, mas posso te ajudar por aqui.
Nosso telefone é (11) 3000-1000.
O valor do sinal é de R$ 30,00 e é pago no local.
Sim, aceitamos cartão em até 3x.
Sim, tem wi-fi e café ☕
Sim, atendemos crianças a partir de 2 anos.
Sim! Pode trazer seu pet 🐶
Claro! A escova custa R$ 80,00. Quer agendar?
Oba! Qual seria o melhor dia para você?
Legal! Então vamos escolher o horário. Você prefere de manhã ou à tarde?
Show! Vou te mostrar as opções: 10:00, 11:00 ou 15:00.
Vou te mandar as opções de quinta: 10:00, 11:00 e 15:00.
Olha só, na quinta tem 10:00 e 11:00.
Vamos encontrar um horário bom para você! Qual dia prefere?
Vamos marcar? Me diz o dia e o horário que prefere.
Só preciso do dia e da hora para marcar.
Me passa o dia e o horário que eu marco pra você.
Me manda seu nome completo, por favor.
Feliz aniversário, Maria! 🎉 Este mês você ganha 10% de desconto.
O desconto está garantido para quem marcar até sexta.
Hoje é quarta-feira, 02/12/2026.
Agora são 10:20.
Seu próximo horário possível com a Ana é quinta às 9h. Quer?
O primeiro horário livre é amanhã às 9h.
O Studio Bela fica no térreo; a entrada é pela Rua Augusta.
Como foi seu atendimento ontem?
Ficamos felizes que você gostou! 💛
Obrigada pela avaliação!
Boa noite! Estamos fechados agora, mas posso te ajudar com seu horário.
Posso te ajudar em mais alguma coisa?
Maria, a Ana não tem horário na quarta à tarde, mas tem quinta às 10h e às 15h. Qual você prefere?
Os horários da Ana na quarta são: 11:30, 13:00 e 13:30. Se algum servir, me diga que eu marco para você!
Posso oferecer: quarta 11:30, quinta 10:00 ou sexta 9:00. Assim que você escolher, eu confirmo o agendamento.
Certo! Então o pedido é: corte feminino, com a Ana, quarta-feira, 02/12, às 11:30. Posso confirmar o agendamento?
Antes de confirmar, me diga seu nome completo, por favor 😊
O agendamento só é confirmado depois que você responder 'sim'.
Não consegui concluir o agendamento agora. Quer tentar outro horário?
O sistema está fora do ar no momento, então nada foi marcado. Quer que eu chame uma pessoa da equipe?
Infelizmente não consigo confirmar seu horário agora.
Nosso cancelamento é gratuito até 2 horas antes.
Você pode cancelar ou remarcar por aqui até 120 minutos antes do horário marcado.
A Ana atende com hora marcada, e a Bia também.
Para noivas, o teste é marcado com 30 dias de antecedência.
Cada cliente pode ter até 3 horários marcados ao mesmo tempo.
O horário que estava reservado para outra cliente ficou livre: quinta às 10h. Quer?
Abriu uma vaga! Uma cliente cancelou e a Ana tem quarta às 15h. Quer ficar com ela?
O evento de sábado foi cancelado, então abriremos normalmente.
Pelo que vejo aqui, você ainda não tem horário marcado. Vamos marcar?
A confirmação chega por aqui assim que o horário for marcado.
Depois que estiver marcado, você recebe um lembrete na véspera.
Se o horário já estiver reservado, mostro outros.
Qual dos dois horários você quer que fique marcado?
Seu nome está correto no cadastro?
Entendi, você passou mal e não vai conseguir vir. Melhoras! Quer remarcar?
Que bom que deu certo! Qualquer coisa, estou por aqui.
Vou anotar aqui: prefere manhã. E o dia?
Deixa comigo! Qual serviço você quer?
Para falar com a equipe, ligue (11) 3000-1000 em horário comercial.
Nossa equipe é formada por 5 profissionais.
A recepção abre às 8h e alguém sempre estará lá para te receber.
A recepcionista vai te receber e oferecer um café.
Isso eu não sei dizer, mas uma pessoa da equipe pode te responder. Quer que eu chame?
Pode confirmar se prefere com a Ana ou com a Bia?
Legal! Te espero aqui quando decidir 😉
Anotei aqui sua preferência. Qual dia fica melhor?
Anotado! E qual seria o dia?
Opa, bora marcar? Me fala o dia e a hora.
Eita, esse horário já foi. Rola às 15h?
Blz! Quer com quem?
Tá bom, sem problema. Me chama quando quiser.
Show de bola! Prefere de manhã ou de tarde?
Fechou! Qual serviço vai ser?
Fechou, qualquer coisa me chama.
Beleza, então me diz um dia que eu vejo aqui. Pode ser?
Vixe, quarta tá lotado. Quinta tem vaga às 10h.
Consigo te encaixar às 16h, topa?
Se quiser eu deixo reservado, só confirma pra mim.
Posso marcar às 10?
Posso deixar marcadinho pra você?
Posso reservar a vaga das 10h pra você?
Quer que eu coloque você na lista de espera?
Posso colocar você na lista de espera de sábado, se quiser.
Se abrir vaga, quem está na lista de espera recebe uma mensagem.
A lista de espera funciona assim: se alguém desistir, você recebe a oferta.
Você quer entrar na lista de espera ou prefere outro dia?
Não consegui colocar você na lista de espera, porque ainda há horários livres nesse dia.
Você não está em nenhuma lista de espera no momento.
Não anotei nada ainda.
Seu pedido ainda não foi registrado: falta o dia.
A vaga só fica salva depois da sua confirmação.
Ainda não deixei nada reservado.
Você tinha marcado corte com a Ana em outubro, lembra? Quer repetir?
Da última vez você cortou com o Caio, né?
Sua última visita foi marcada para 10/10 com a Bia. Quer repetir o serviço?
Na semana passada seu horário estava marcado para quarta às 10h.
Você costumava marcar às quintas às 10h. Quer manter esse dia?
Ontem o salão estava fechado.
Seu horário estava marcado para ontem às 10h, e já passou.
Vi que em novembro você tinha horário confirmado às 9h. Quer o mesmo agora?
Você marcou com a gente antes? Não achei nada no seu nome.
Você me disse que tinha remarcado, mas aqui não aparece.
Antes a Ana atendia às quintas, agora só às quartas e sextas.
Se eu marcar às 10h, fica bom pra você?
Se fosse com a Bia, teria quinta às 9h. Quer?
Caso não possa vir, é só cancelar por aqui até 2 horas antes.
Quando o horário estiver marcado, mando a confirmação por aqui.
Enquanto não confirmar, a vaga continua aberta para outros clientes.
Confirma pra mim: corte com a Ana, quarta 11h30?
Confirmando então: quarta-feira, 02/12, às 11:30, corte com a Ana. Pode responder sim?
Só pra eu não errar: é dia 2 ou dia 3?
Corte com a Ana sai por R$ 120,00.
Com o Caio o corte e barba sai por R$ 90,00. Quer marcar?
A barba com o Caio custa R$ 40,00 e leva 30 minutos.
O pacote completo dura 4 horas e precisa de sinal.
A Bia também faz corte masculino.
O Caio não tem vaga hoje, só amanhã às 14h. Serve?
Hoje ainda tem 15h e 16h com a Bia.
Amanhã o primeiro horário é 9h. Quer esse?
Depois de amanhã a Ana está de folga.
A gente abre às 9h e fecha às 18h.
Pode vir sem hora marcada? Não, só com horário agendado.
Pode vir com o cabelo seco, sem problema.
Pode vir das 9h às 18h conhecer o espaço, sem compromisso. Precisa de algo mais?
Pode deixar! Qual é o melhor dia?
Te espero por aqui quando decidir.
Te espero responder, sem pressa 😊
Nos vemos em breve!
Até mais!
Até a próxima!
Pronto! Qual o próximo passo: ver horários ou preços?
Feito esse esclarecimento, quer ver os horários?
Combinado, vamos por partes: primeiro o dia. Qual você prefere?
Certinho! E o seu nome?
Tranquilo, não mexi em nada.
Relaxa, ninguém cancelou nada.
Nada mudou: continua tudo em aberto. Quer marcar?
Desculpa, eu me enganei: nada foi marcado ainda. Quer que eu marque quarta às 11h30?
Me enganei antes: seu horário não foi cancelado.
Não tá marcado ainda não, viu? Falta você confirmar.
Esse horário foi reservado por outra cliente agora há pouco.
As 10h já está reservado para outra pessoa.
Sua mensagem foi recebida. Em que posso ajudar?
Obrigado pela confirmação do endereço!
Você confirma o endereço com a recepção no dia.
Seu cadastro está atualizado.
Seu contato está salvo aqui, pode ficar tranquila.
O estacionamento fica guardado por câmeras.
A toalha fica separada para cada cliente.
Confirmado o pagamento, a recepção avisa.
Trocamos a toalha e a lâmina a cada cliente.
Mudamos de endereço: agora é Rua Augusta, 1000.
Nosso horário de sábado mudou: agora é das 9h às 13h.
A Ana mudou de horário: agora atende das 10h às 19h.
O horário de atendimento foi alterado no feriado.
Cancelamos os cartões fidelidade antigos em janeiro.
Boa! Então me passa o dia, por favor?
Só um detalhe: o horário das 10h é com o Caio. Pode ser?
Prefere cancelar ou só mudar o dia?
Que bom que avisou! Quer remarcar?
Eu não consigo confirmar isso por aqui. Quer falar com alguém da equipe?
Hi! How can I help you today?
Sure! Which service would you like?
I can book you for Friday at 10:00. Shall I go ahead?
Would you like me to book it?
We have 10:00, 11:00 and 15:00 available on Thursday.
That slot is already booked. How about 11:00?
I couldn't book that time, because it was just taken.
Your appointment isn't booked yet. Please confirm the day.
Nothing has been booked yet.
Once you confirm, I'll book it.
If you'd like, I can put you on the waiting list.
Appointments can be cancelled up to 2 hours before.
You can reschedule or cancel here up to 2 hours before.
We are open Monday to Friday from 9am to 6pm.
The haircut costs R$ 120,00 and takes 60 minutes.
You don't have any appointments booked.
Do you want to cancel or reschedule?
You said you had booked for Friday, but I can't find it.
Please confirm: haircut with Ana on Wednesday at 11:30?
To confirm: Wednesday, 02/12, at 11:30 with Ana. Is that right?
Should I book Wednesday at 11:30?
I haven't cancelled anything.
See you soon!
Last time you were booked with Caio on a Friday.
Ana is not available on Thursday.
¡Hola! ¿En qué puedo ayudarte?
¿Quieres que te reserve el viernes a las 10?
Puedo agendar tu cita para el viernes a las 10. ¿Te parece bien?
Tenemos libres las 10:00 y las 11:00 el jueves.
Ese horario ya está reservado. ¿Te sirve a las 11?
No he reservado nada todavía.
No tienes ninguna cita agendada.
Cuando confirmes, tu cita queda reservada.
Si quieres, puedo ponerte en la lista de espera.
Las citas se pueden cancelar hasta dos horas antes.
¿Prefieres por la mañana o por la tarde?
El corte cuesta R$ 120,00.
Abrimos de lunes a viernes de 9 a 18.
¿Tu cita ya está confirmada?
Para agendar necesito el día y la hora.
¡Hasta pronto!
Temos Corte e barba por R$ 90,00 com o Caio. Quer marcar?
O Pacote completo com a Ana leva 4 horas.
Se confirmar agora, sua vaga fica garantida.
Prefere que eu deixe com a Ana ou com a Bia?
Entendi, então a escova fica para outro dia. Qual?
Posso trocar para a Bia às 15h?
Beleza! Corte com a Bia sexta às 10h. Confirma pra eu marcar?
Certo: corte com a Ana, quarta às 11h30, R$ 120,00. Posso confirmar?
Antes de eu marcar: é corte feminino mesmo?
Tenho você cadastrada como Maria. É isso?
Seu nome está anotado, Maria. Qual serviço você quer?
Que dia você tinha marcado?
Você já foi atendida pela Ana?
O horário que você tinha era às 10h, mas foi cancelado por você em novembro.
A Ana confirmou que atende aos sábados.
A agenda de dezembro já está aberta!
A agenda da Bia foi liberada para janeiro.
Sim, é possível cancelar até 2 horas antes.
Quando precisar cancelar é só me dizer.
Já vi aqui: a Ana tem 10:00 e 11:00 na quinta.
Pode ser às 10:00 com a Ana?
Fica bom às 10:00 com a Ana?
Ficaria às 10:00 com a Ana, tudo bem pra você?
Te espero confirmar o horário, tá?
Aguardamos sua confirmação!
Estou à disposição para marcar quando quiser.
Nos sábados o horário é reservado para noivas.
Por enquanto nada está reservado em seu nome.
Vc não tem nada marcado por aqui.
A recepção está aberta até as 18h hoje.
O corte da sua filha pode ser marcado junto com o seu.
Marcação só com antecedência de 1 hora.
O retorno está incluído no valor.
Recebi seu pedido, mas preciso do dia. Qual prefere?
Seu pedido é de corte e escova, certo?
Sem problemas, fico no aguardo.
Ops, confundi as datas. O dia 2 é quarta-feira. Quer esse dia?
Esse é o mesmo horário da outra vez. Quer repetir?
Just to check: Wednesday at 11:30 with Ana, right?
I can move it to Friday at 10. Would that work?
Your appointment can be cancelled up to two hours before.
Ana has 10:00 and 11:00 on Friday. Which one do you prefer?
We don't have anything booked under your name.
If that works for you, I'll book it.
You can be booked with either Ana or Bia.
Let me know and I'll get you booked.
Do you want to be put on the waiting list?
Tenemos turno a las 10 o a las 11. ¿Cuál prefieres?
¿Te agendo para el viernes a las 10?
¿Confirmo tu cita para el viernes?
Si me confirmas, reservo tu cita.
Tu cita se puede cambiar hasta dos horas antes.
Anotado 😊 Qual o dia?
Anotado, sem pressa.
Feito! Você não recebe mais lembretes.
Pronto! Agora me diz o dia.
Prontinho, aqui vai o endereço: Rua Augusta, 1000.
Combinado! Qualquer coisa me chama.
Show, fico no aguardo.
Perfeito, Maria! Só falta escolher o horário: 10:00 ou 11:00?
Ok! Vamos manter como está então.
""".strip().splitlines()


@pytest.mark.parametrize("text", ORDINARY)
def test_ordinary_sentences_pass(text: str) -> None:
    assert fault(text, NOTHING) is None


def test_there_are_hundreds_of_them() -> None:
    assert len(set(ORDINARY)) >= 350


# With something to back them

TRUE_WORDS = [
    (STANDING, "Seu horário está marcado para quarta às 11h30."),
    (STANDING, "Você tem um horário marcado: Corte feminino com Ana Souza, quarta-feira, 02/12/2026, às 11:30."),
    (STANDING, "Sim! Seu corte é amanhã, quarta-feira, às 11h30 com a Ana."),
    (STANDING, "Seu horário está confirmado!\n📅 Quarta-feira, 02/12\n⏰ 11:30\n💇 Corte feminino com Ana"),
    (STANDING, "Está tudo certo, seu horário de amanhã às 11:30 está confirmado 😊"),
    (STANDING, "Te esperamos quarta às 11h30! Chegue 10 minutos antes, às 11h20."),
    (STANDING, "Sua presença está confirmada. Até amanhã!"),
    (STANDING, "Por nada! Seu corte ficou marcado para o dia 2, às 11 e meia."),
    (STANDING, "Seu horário foi remarcado para quarta-feira, 02/12, às 11:30."),  # by a run before this one
    (STANDING, "Marquei para você na quarta-feira, 02/12, às 11:30, lembra? Quer mudar?"),
    (STANDING, "Seu horário de quarta continua marcado. Para trocar, tenho quinta, 03/12, às 10:00. Prefere?"),
    (STANDING, "Seu horário continua marcado. Para trocar, tenho:\n- quinta-feira, 03/12, às 10:00\nServe?"),
    (STANDING, "Você tem 1 agendamento confirmado:\n- Corte feminino com Ana, quarta-feira, 02/12/2026, às 11:30"),
    (BOOKED, "Prontinho, Maria! Seu corte com a Ana está marcado para quarta-feira, 02/12, às 11:30. 💇‍♀️"),
    (BOOKED, "Agendado! ✅\n\n*Corte feminino* com Ana Souza\n📅 quarta-feira, 02/12/2026\n⏰ 11:30\n\nTe esperamos!"),
    (BOOKED, "Agendado: Corte feminino com Ana Souza, quarta-feira, 02/12/2026, às 11:30 (60 min, R$ 120,00)."),
    (BOOKED, "Marquei seu corte para amanhã às 11h30. Posso ajudar em algo mais?"),
    (BOOKED, "Fechado! Marquei das 11:30 às 12:30, na quarta."),
    (BOOKED, "Tudo certo! Agendamento confirmado para 02/12 às 11h30, com término às 12h30."),
    (BOOKED, "Prontinho! Quarta às 11h30 com a Ana 😊"),
    (BOOKED, "Consegui marcar às 11:30! Você vai receber um lembrete na véspera."),
    (BOOKED, "Marcado! O salão abre às 9h, se quiser chegar antes."),
    (BOOKED, "Marquei o corte. Para a escova, vou precisar saber o dia. Qual prefere?"),
    (BOOKED, "Sua consulta com a Dra. Ana foi agendada para o dia 2 de dezembro, às 11h30."),
    (MOVED, "Prontinho, remarquei seu corte de quarta às 11h30 para quinta-feira, 03/12, às 10h."),
    (MOVED, "Seu horário foi alterado para quinta, 03/12, às 10:00."),
    (MOVED, "Mudei para quinta às 10h, com a Ana ✅"),
    (MOVED, "Remarcado! Te espero quinta às 10h."),
    (MOVED, "Agora seu horário está marcado para quinta-feira, 03/12, às 10:00."),
    (CANCELLED, "Cancelei seu corte de quarta-feira, 02/12, às 11:30. Quando quiser voltar, é só chamar!"),
    (CANCELLED, "Pronto, seu horário foi cancelado. Quer marcar outro dia?"),
    (CANCELLED, "Cancelado! 👍"),
    (CANCELLED, "Esse horário já foi cancelado."),
    (NOTHING, "Esse agendamento já foi cancelado anteriormente. Quer marcar outro?"),
    (BOOKED, "Prontinho, Maria! 🎉 Seu *corte feminino* com a *Ana Souza* está agendado para *quarta-feira, 02/12, às 11h30*. O valor é R$ 120,00 e dura cerca de 1 hora. Se precisar remarcar ou cancelar, me avise até 2h antes. Te esperamos! 💇‍♀️"),
    (BOOKED, "Agendamento confirmado! ✨\n• Serviço: Corte feminino\n• Profissional: Ana Souza\n• Data: quarta-feira, 02/12/2026\n• Horário: 11:30 às 12:30\n• Valor: R$ 120,00"),
    (BOOKED, "Como as 10h já estavam ocupadas, marquei para as 11:30 de quarta, tudo bem?"),
    (BOOKED, "Marcado! ✅ Quarta-feira, 02/12, às 11:30, com a Ana. Enviaremos um lembrete 24h antes. Até lá!"),
    (BOOKED, "Perfeito! Está tudo certo para quarta-feira, dia 2, às 11h30. Qualquer imprevisto, me avisa com 2 horas de antecedência."),
    (BOOKED, "Ótimo, Maria! Ficou assim:\n\n*Corte feminino*\n*Quando:* quarta-feira, 02/12/2026, às 11:30\n*Com:* Ana Souza\n*Valor:* R$ 120,00\n\nAté quarta! 😊"),
    (BOOKED, "Já está agendado 😄 quarta, 02/12, 11h30. Quer aproveitar e marcar a escova também?"),
    (BOOKED, "Feito! Agora você tem um horário marcado com a Ana na quarta-feira (02/12) às 11:30. Para a escova, os horários livres são 13:00 e 14:00. Quer algum?"),
    (STANDING, "Você já tem um corte marcado com a Ana na quarta-feira, 02/12, às 11:30. Quer marcar outro horário além desse?"),
    (STANDING, "Vi que você tem um horário na quarta (02/12) às 11:30 com a Ana. É esse que quer remarcar?"),
    (STANDING, "Encontrei! Seu corte com a Ana está marcado para quarta, 02/12, às 11:30. Para qual dia você quer mudar?"),
    (STANDING, "Seu horário atual é quarta às 11:30; os livres na quinta são 10:00 e 15:00. Qual prefere?"),
    (STANDING, "Seu horário de quarta às 11:30 continua confirmado, e para quinta há 10:00 e 15:00 livres. Qual prefere?"),
    (STANDING, "Não consegui remarcar para quinta às 10h, então seu horário continua marcado para quarta às 11:30."),
    (STANDING, "Seu horário segue marcado para quarta às 11:30, porque quinta às 10h já estava ocupado."),
    (STANDING, "Quinta às 10h não está livre. Seu horário de quarta às 11:30 está mantido. Quer tentar outro?"),
    (STANDING, "Para cancelar seu corte de quarta-feira, 02/12, às 11:30, preciso da sua confirmação. Posso cancelar?"),
    (STANDING, "Você quer cancelar o horário de quarta-feira, 02/12, às 11:30, com a Ana, certo?"),
    (STANDING, "Não dá mais para cancelar o horário de quarta às 11:30 por aqui, pois o prazo é de 2 horas. Ele continua marcado."),
    (STANDING, "Certo, não cancelei nada: seu horário de quarta continua confirmado."),
    (STANDING, "Claro! Hoje você não tem nada. Amanhã, quarta-feira, 02/12, tem corte com a Ana às 11:30."),
    (STANDING, "Sim, está confirmadíssimo! Quarta-feira às 11:30 😉"),
    (MOVED, "Prontinho! Seu corte foi remarcado de quarta (02/12, 11:30) para *quinta-feira, 03/12, às 10:00* com a Ana. Até lá!"),
    (MOVED, "Mudança feita! Novo horário: quinta-feira, 03/12/2026, às 10:00."),
    (MOVED, "Tudo certo, troquei para quinta às 10h. O horário de quarta foi liberado."),
    (CANCELLED, "Seu agendamento de quarta-feira, 02/12, às 11:30 foi cancelado com sucesso. Quando quiser marcar de novo, é só chamar! 💛"),
    (CANCELLED, "Cancelei, tá? Se quiser, posso ver outro dia para você."),
    (BOOKED, "Marquei seu *corte feminino* com a *Ana* por R$ 120,00, quarta às 11:30."),
    (BOOKED, "Agendado! ✅\nServiço: Corte feminino\nProfissional: Ana Souza\nData: 02/12\nHorário: 11:30\nValor: R$ 120,00"),
    (BOOKED, "Prontinho! Marquei seu corte. O valor é R$ 120,00, com sinal de R$ 30,00 no local."),
    (BOOKED, "Prontinho, Bia! Seu corte com a Ana está marcado para quarta às 11:30."),
    (BOOKED, "Marquei só o corte, sem a escova, quarta às 11:30."),
    (BOOKED, "Marquei o corte com a Ana, já que a Bia está de folga."),
    (BOOKED, "Tá marcadinho: corte com a Ana, amanhã às 11h30. Te espero!"),
    (BOOKED, "Fechou, te espero amanhã às 11h30 com a Ana!"),
    (BOOKED, "Confirmadíssimo! Quarta, 11:30, com a Aninha 💛"),
    (BOOKED, "Anotei aqui: quarta às 11:30 com a Ana."),
    (BOOKED, "A Ana te espera quarta às 11:30!"),
    (BOOKED, "Deixei reservado com a Ana pra amanhã, 11h30. Sua vaga tá salva!"),
    (BOOKED, "MARCADO COM A ANA PARA QUARTA ÀS 11:30!"),
    (BOOKED, "I've booked your haircut with Ana for Wednesday, 02/12, at 11:30."),
    (BOOKED, "You're all set for tomorrow at 11:30am with Ana. See you then!"),
    (BOOKED, "Done! Your appointment is confirmed for Wednesday, December 2nd, at 11:30."),
    (BOOKED, "Listo, te reservé el miércoles a las 11:30 con Ana."),
    (BOOKED, "Tu cita está confirmada: miércoles, 2 de diciembre, a las 11:30."),
    (STANDING, "Confirmado! Te esperamos quarta às 11:30."),
    (STANDING, "Seu corte com a Ana (R$ 120,00) está marcado para quarta às 11:30."),
    (STANDING, "Yes, you have an appointment booked with Ana on Wednesday at 11:30."),
    (STANDING, "Seu corte é com a Ana, quarta às 11h30."),
    (STANDING, "Já tinha marcado pra você: quarta às 11:30 com a Ana."),
    (TWO, "Marquei corte feminino com a Ana na quarta às 11:30 e corte e barba com o Caio na sexta às 9:00."),
    (TWO, "Prontinho! Ficou assim:\n- Corte feminino com Ana, quarta, 02/12, às 11:30\n- Corte e barba com Caio, sexta, 04/12, às 9h"),
    (TWO, "Marquei os dois! O total é R$ 210,00."),
    (MOVED, "Remarquei seu corte com a Ana para quinta às 10h."),
    (TO_BIA, "Troquei seu corte de quarta com a Ana para quinta às 10h com a Bia."),
    (TO_BIA, "Remarquei seu corte para quinta às 10h, agora com a Bia."),
    (CANCELLED, "Cancelei seu corte com a Ana de quarta."),
    (CANCELLED, "I've cancelled your appointment with Ana on Wednesday."),
    (WAITING, "Coloquei você na lista de espera de sábado com a Ana! Se abrir, você recebe uma mensagem."),
    (WAITING, "Pronto, você está na lista de espera do corte feminino para sábado, 05/12."),
    (STILL_WAITING, "Você já está na lista de espera de sábado."),
    (STILL_WAITING, "A vaga de sexta às 15h está guardada para você até as 12h. Quer ficar com ela?"),
    (WAITING, "Anotei aqui, e você entrou na lista de espera."),
    (BOOKED,"Tudo certo, Maria! Você está agendada com a Ana na quarta-feira, 02/12, às 11:30 para Corte feminino. Valor: R$ 120,00."),
    (BOOKED,"Marquei! Corte feminino com Ana Souza – quarta, 02/12 – 11:30 – R$ 120."),
    (BOOKED,"Seu corte ficou marcado com a Ana. Se quiser, a Bia também atende na quinta."),
    (BOOKED,"Marcado com a Ana! Caso prefira a Bia, é só avisar."),
    (BOOKED,"Feito ✅ Corte com Ana amanhã 11h30. A escova não coube no mesmo dia. Quer ver quinta?"),
    (BOOKED,"Agendado com sucesso para amanhã, quarta-feira (02/12), às 11h30, com a profissional Ana Souza. O valor do corte é R$ 120,00 e você pode pagar com Pix, cartão ou dinheiro."),
    (BOOKED,"Já deixei tudo certinho: corte com a Ana amanhã às 11:30. Chegue com 10 minutos de antecedência."),
    (STANDING,"Encontrei seu agendamento: Corte feminino com Ana Souza, quarta-feira, 02/12, às 11:30. Quer cancelar?"),
    (STANDING,"Você tem corte com a Ana amanhã às 11:30, e a escova não está marcada."),
    (STANDING,"Só o corte está marcado, quarta às 11:30 com a Ana. Quer incluir a escova?"),
    (STANDING,"Seu corte com a Ana está marcado; para a escova tenho a Bia às 15h. Quer?"),
    (MOVED,"Pronto! Seu corte com a Ana agora é quinta, 03/12, às 10:00."),
    (CANCELLED,"Cancelado! Se quiser remarcar com a Bia, é só dizer."),
    (CANCELLED,"Seu corte com a Ana foi cancelado. Posso marcar com a Bia na sexta às 10h?"),
    (TWO,"Você tem dois horários: corte feminino com a Ana na quarta às 11:30 e corte e barba com o Caio na sexta às 9h."),
    (NOTHING,"Você não está marcada com a Ana."),
    # Several visits, told together.
    (THREE, "Você tem dois horários marcados: corte com a Ana na quarta às 11:30 e escova com a Bia na sexta às 9h."),
    (THREE, "Seus horários estão confirmados: corte com Ana, quarta 11:30, escova com Bia, sexta 9h, e barba com Caio, sexta 15h."),
    (THREE, "Seus horários marcados:\n- Corte feminino com Ana Souza, quarta-feira, 02/12, às 11:30\n- Escova com Bia Lima, sexta-feira, 04/12, às 09:00\n- Barba com Caio, sexta, 04/12, às 15h"),
    (THREE, "Você está marcada na quarta, 02/12, às 11:30, com a Ana, e na sexta, 04/12, às 9h, com a Bia."),
    (THREE, "Na quarta às 11:30 (corte com a Ana) e na sexta às 9h (escova com a Bia) seus horários estão confirmados."),
    (THREE, "Estão confirmados quarta às 11:30 e sexta às 9h."),
    (THREE, "Está tudo confirmado: quarta às 11:30 e sexta às 9h e às 15h."),
    (THREE, "Seu corte com a Ana e sua escova com a Bia estão confirmados."),
    (THREE, "Na quarta e na sexta seus horários estão confirmados, às 11:30 e às 9h."),
    (THREE, "Seus horários ficaram marcados para quarta e sexta, às 11:30 e 9h, respectivamente."),
    (THREE, "Na sexta você está marcada às 9h com a Bia e às 15h com o Caio."),
    (THREE, "Na sexta você está marcada com a Bia às 9h (escova) e depois com o Caio às 15h (barba)."),
    (THREE, "Seu corte na quarta e a escova na sexta estão confirmados."),
    (THREE, "Seu corte com a Ana na quarta e a escova com a Bia na sexta estão confirmados."),
    (THREE, "Você tem horário marcado na quarta, dia 2, às 11:30 e na sexta, dia 4, às 9h."),
    (THREE, "Sexta você está marcada: 9h escova com Bia; 15h barba com Caio."),
    (THREE, "Sua escova está marcada para sexta às 9h com a Bia, e o corte continua quarta às 11:30 com a Ana."),
    (THREE, "Confirmado! Escova sexta, 04/12, às 9h com a Bia, barba às 15h com o Caio."),
    (THREE, "Quarta-feira: corte com Ana 11:30. Sexta-feira: escova com Bia às 9h e barba com Caio às 15h. Está tudo marcado!"),
    (THREE, "Você já tem horário marcado para quarta, às 11:30, com Ana; sexta, às 9h, com Bia; e sexta, às 15h, com Caio."),
    (THREE, "Estão marcados: 1) Corte com a Ana, 02/12 às 11:30 2) Escova com a Bia, 04/12 às 9h"),
    (ONE_MOVED, "Remarquei seu corte de quarta às 11:30 para quinta às 10:00, e sua escova com a Bia continua na sexta às 9h."),
    (ONE_MOVED, "Prontinho! Seu corte com a Ana mudou para quinta, 03/12, às 10h. A escova segue marcada para sexta às 9h."),
    (ONE_CANCELLED, "Escova de sexta cancelada, e o corte segue confirmado para quarta às 11:30."),
    (ONE_CANCELLED, "Pronto, cancelei sua escova de sexta às 9h, mas seu corte de quarta às 11:30 continua marcado."),
    (ONE_CANCELLED, "Sua escova com a Bia foi cancelada e seu corte com a Ana na quarta, 02/12, às 11:30 segue confirmado."),
    (ONE_CANCELLED, "Prontinho! Escova cancelada. Seus outros horários (corte na quarta às 11:30 e barba na sexta às 15h) continuam de pé."),
    (ONE_CANCELLED, "A escova de sexta às 9h foi cancelada, os outros dois horários continuam marcados: quarta às 11:30 e sexta às 15h."),
    (ONE_CANCELLED, "Cancelei a escova e mantive o corte de quarta às 11:30."),
    (ONE_MOVED, "Mudei o corte para quinta às 10h e mantive a escova na sexta às 9h."),
    (ONE_MOVED, "Troquei seu corte para quinta, 03/12, às 10h em vez de quarta, 02/12, às 11:30."),
    (ONE_MOVED, "Passei seu horário de quarta para quinta às 10h, com a Ana."),
    (ONE_MOVED, "Remarcado de quarta (02/12, 11:30) para quinta (03/12, 10:00)."),
    (ONE_CANCELLED, "Cancelei a escova de sexta às 9h; o corte de quarta às 11:30 e a barba de sexta às 15h continuam marcados."),
    (ONE_CANCELLED, "Cancelei sua escova com a Bia. Seu corte com a Ana continua marcado para quarta às 11:30."),
]  # fmt: skip


@pytest.mark.parametrize(("evidence", "text"), TRUE_WORDS)
def test_what_is_so_may_be_said(evidence: Evidence, text: str) -> None:
    assert fault(text, evidence) is None


# Lies

LIES = [
    (NOTHING, "Prontinho! Marquei seu corte para terça às 10h ✅"),
    (NOTHING, "Agendei seu horário, Maria!"),
    (NOTHING, "Já reservei o horário das 15h pra você."),
    (NOTHING, "Consegui te encaixar na sexta às 16h!"),
    (NOTHING, "Acabei de agendar seu corte com a Bia."),
    (NOTHING, "Deixei tudo marcado para sexta."),
    (NOTHING, "Confirmei o seu horário com a Ana."),
    (NOTHING, "Fiz o seu agendamento 😊"),
    (NOTHING, "Coloquei você na agenda da Ana."),
    (NOTHING, "Agendado! Te espero lá."),
    (NOTHING, "Tudo certo, Maria! Corte feminino confirmado:\nQuarta-feira, 02/12\n11:30"),
    (NOTHING, "Agendamento realizado com sucesso!"),
    (NOTHING, "*Agendamento confirmado* ✅\nServiço: Escova\nData: 04/12/2026\nHorário: 09:00"),
    (NOTHING, "Seu horário está confirmado para amanhã."),
    (NOTHING, "Está marcado! 🎉"),
    (NOTHING, "Sua consulta ficou agendada para o dia 10 às 14h30."),
    (NOTHING, "Seu corte e barba foram agendados."),
    (NOTHING, "O horário é seu! 😄"),
    (NOTHING, "Prontinho, Maria! Quarta às 10h com a Ana 😊"),
    (NOTHING, "Te esperamos quarta-feira às 10h!"),
    (NOTHING, "Até sexta, às 16h!"),
    (NOTHING, "Seu corte é quarta-feira às 15h, com a Ana."),
    (NOTHING, "Fica marcado para sexta às 10h então."),
    (NOTHING, "Você tem horário marcado para quinta-feira, 03/12, às 10:00."),
    (NOTHING, "Não se preocupe, seu horário está garantido."),
    (NOTHING, "Não consegui às 10h, mas marquei às 11h."),
    (NOTHING, "Marquei para quarta às 10h, tudo bem?"),
    (NOTHING, "Seu horário está marcado para quarta às 10h, posso ajudar em algo mais?"),
    (NOTHING, "Remarquei seu horário para quinta."),
    (NOTHING, "Seu agendamento foi alterado com sucesso."),
    (NOTHING, "Mudei seu corte para sexta às 9h."),
    (NOTHING, "Seu horário mudou para sexta."),
    (NOTHING, "Remarcação feita!"),
    (NOTHING, "Cancelei o seu horário, sem problema."),
    (NOTHING, "Seu horário foi cancelado."),
    (NOTHING, "Cancelamento efetuado com sucesso ✅"),
    (NOTHING, "Pronto, desmarquei sua escova."),
    (NOTHING, "𝗠𝗮𝗿𝗾𝘂𝗲𝗶 seu corte!"),
    (NOTHING, "MARQUEI SEU CORTE PARA TERÇA!!!"),
    (NOTHING, "Mar\u200bquei seu corte."),
    (STANDING, "Seu horário está marcado para quarta às 15h."),
    (STANDING, "Seu horário está marcado para quinta às 11h30."),
    (STANDING, "Seu horário está marcado para quinta-feira, 02/12, às 11:30."),
    (STANDING, "Seu horário está confirmado!\nQuarta-feira, 02/12\n15:00"),
    (STANDING, "Seu corte está marcado para hoje às 11h30."),
    (STANDING, "Marquei mais um horário para você!"),
    (STANDING, "Marquei sua escova para sexta-feira, 04/12, às 9h."),
    (STANDING, "Remarquei de quarta às 11h30 para quinta às 10h."),
    (STANDING, "Remarquei seu horário de quarta às 11h30."),
    (STANDING, "Seu horário de quarta foi cancelado."),
    (STANDING, "Seu horário já foi cancelado."),
    (STANDING, "Te vejo quarta às 10h!"),
    (BOOKED, "Prontinho! Marquei seu corte para quarta às 15h."),
    (BOOKED, "Agendado! ✅\nCorte feminino\n📅 quinta-feira, 03/12\n⏰ 11:30"),
    (BOOKED, "Agendado! ✅\n📅 quinta-feira, 03/12\n⏰ 11:30"),
    (BOOKED, "Marquei seu corte para quarta às 11:30 e a escova às 16:00."),
    (BOOKED, "Marquei para quarta às 11:30 e cancelei o de sexta."),
    (BOOKED, "Marquei para o dia 3, às 11h30."),
    (MOVED, "Remarquei seu corte para quinta às 15h."),
    (MOVED, "Remarquei das 11:30 para as 12:00 de quarta."),
    (MOVED, "Seu corte continua marcado para quarta às 11:30."),
    (CANCELLED, "Seu corte está marcado para quarta às 11:30."),
    (CANCELLED, "Cancelei o de sexta-feira, 04/12."),
    (NOTHING, "Marcadinho! Nos vemos na quinta às 10h 😉"),
    (NOTHING, "Feito! Seu horário com o Caio: quinta-feira, 03/12, às 10:00."),
    (NOTHING, "Pronto! Você está na agenda da Ana para quarta às 11h."),
    (NOTHING, "Tudo certo para quarta às 11h! Até lá."),
    (NOTHING, "Ok, corte confirmado para sexta às 9h."),
    (NOTHING, "Combinado então, sexta às 9h com o Caio. Até lá!"),
    (NOTHING, "Já deixei reservado pra você."),
    (NOTHING, "Seu agendamento foi feito com sucesso!"),
    (NOTHING, "Sua reserva está feita para o dia 10/12."),
    (NOTHING, "Beleza, tá marcado!"),
    (NOTHING, "Tá agendado, viu?"),
    (NOTHING, "Agendei com a Ana pra amanhã cedo."),
    (NOTHING, "Já está tudo agendado, Maria."),
    (NOTHING, "Confirmado! Corte às 15h."),
    (NOTHING, "Horário reservado ✅"),
    (NOTHING, "Horário marcado com sucesso para 04/12 às 9h."),
    (NOTHING, "Perfeito! Seu horário das 15h está confirmado com a Bia."),
    (NOTHING, "Maravilha, agendamos você para quinta às 10h."),
    (NOTHING, "Registrei seu agendamento no sistema."),
    (NOTHING, "Alterei o seu horário para as 16h."),
    (NOTHING, "Pronto, troquei seu horário de quarta pra quinta."),
    (NOTHING, "A alteração foi feita."),
    (NOTHING, "Transferi sua consulta para o dia 10."),
    (NOTHING, "Sua consulta foi transferida para quinta."),
    (NOTHING, "Prontinho, cancelado!"),
    (NOTHING, "Seu corte de quarta está cancelado."),
    (NOTHING, "Já cancelei pra você."),
    (NOTHING, "Pode ficar tranquila, já cancelei."),
    (NOTHING, "Removi seu horário da agenda."),
    (NOTHING, "O cancelamento foi concluído."),
    (NOTHING, "Perfeito, Maria! Seu corte com a Ana ficou para quarta-feira, 02/12, às 11:30. Até lá! 💛"),
    (NOTHING, "Ótimo! Já fiz a reserva do seu horário."),
    (NOTHING, "Seu agendamento:\n*Serviço:* Corte\n*Data:* 02/12\n*Hora:* 11:30\nEstá tudo confirmado!"),
    (NOTHING, "Combinado, te espero amanhã às 10h!"),
    (NOTHING, "Tudo pronto! Quarta-feira às 11:30 está reservado para você."),
    (NOTHING, "Ok, Maria. Horário das 10h garantido!"),
    (NOTHING, "Seu horário foi reservado com a Ana. Qualquer coisa me chame."),
    (NOTHING, "Já está na agenda: quarta, 11:30, com a Ana."),
    (NOTHING, "Reagendado para sexta às 9h ✅"),
    (NOTHING, "Fiz a troca para quinta às 10h."),
    (NOTHING, "Pronto, seu horário agora é quinta às 10h."),
    (NOTHING, "Seu cancelamento foi registrado."),
    (NOTHING, "Tirei você da agenda de quarta."),
    (NOTHING, "Desmarcado! Quando quiser voltar é só chamar."),
    (STANDING, "Seu horário agora é quinta às 10h."),
    (STANDING, "Seu corte foi cancelado. Até a próxima!"),
    (STANDING, "Prontinho, adiantei seu horário para as 10h."),
    (STANDING, "Está confirmado para quarta às 10:30!"),
    (BOOKED, "Agendamento confirmado! ✨\n• Serviço: Corte feminino\n• Data: quarta-feira, 02/12/2026\n• Horário: 13:00"),
    (BOOKED, "Seu corte está agendado para sexta-feira, 02/12, às 11:30."),
    (BOOKED, "Prontinho! Até quinta às 11:30!"),
    (MOVED, "Mudança feita! Novo horário: sexta-feira, 04/12/2026, às 10:00."),
    # a wrong professional, service or price
    (BOOKED, "Marquei seu corte com a Bia, quarta às 11:30."),
    (BOOKED, "Marquei seu corte com a Juliana, quarta às 11:30."),
    (BOOKED, "Agendado! ✅\nServiço: Corte feminino\nProfissional: Bia Lima\nData: 02/12\nHorário: 11:30"),
    (BOOKED, "Agendado! ✅\nServiço: Escova\nData: 02/12\nHorário: 11:30"),
    (BOOKED, "Marquei sua escova para quarta às 11:30."),
    (BOOKED, "Marquei seu corte masculino para quarta às 11:30."),
    (BOOKED, "Marquei corte e barba para quarta às 11:30."),
    (BOOKED, "Marquei seu corte por R$ 100,00, quarta às 11:30."),
    (BOOKED, "Marquei seu corte, quarta às 11:30.\nValor: R$ 90,00"),
    (BOOKED, "Seu corte está marcado para quarta às 11:30, por 100 reais."),
    (BOOKED, "A Bia te espera quarta às 11:30!"),
    (BOOKED, "Você está na agenda da Bia para quarta às 11:30."),
    (BOOKED, "Marquei com a Ana Lima para quarta às 11:30."),
    (BOOKED, "Marquei pra você com o Caio."),
    (STANDING, "Seu horário com a Bia está confirmado para quarta às 11:30."),
    (STANDING, "Sua escova está marcada para quarta às 11:30."),
    (TWO, "Sua barba com o Caio está marcada para quarta às 11:30."),
    (TWO, "Marquei os dois! O total é R$ 150,00."),
    (MOVED, "Remarquei sua escova para quinta às 10h."),
    (MOVED, "Remarquei seu corte para quinta às 10h com a Bia."),
    (TO_BIA, "Remarquei seu corte para quinta às 10h com a Ana."),
    (CANCELLED, "Cancelei sua escova de quarta."),
    (CANCELLED, "Cancelei seu corte com o Caio."),
    # in everyday words
    (NOTHING, "Anotei aqui!"),
    (NOTHING, "Já anotei tudo, viu?"),
    (NOTHING, "Registrei seu pedido."),
    (NOTHING, "Seu pedido foi registrado com sucesso."),
    (NOTHING, "A vaga tá salva!"),
    (NOTHING, "Sua vaga tá salva, pode ficar tranquila."),
    (NOTHING, "Garanti seu lugar na quinta."),
    (NOTHING, "Seu lugar tá guardado."),
    (NOTHING, "Confirmadíssimo!"),
    (NOTHING, "Tá marcadinho 😉"),
    (NOTHING, "Fechou, te espero amanhã às 10!"),
    (NOTHING, "Deixei reservado."),
    (NOTHING, "Deixei separadinho... quer dizer, deixei reservado pra você!"),
    (NOTHING, "Prontinho, ficou pra sexta."),
    (NOTHING, "Te coloquei às 10h com a Ana."),
    (NOTHING, "Botei você na quinta às 10h."),
    (NOTHING, "Pode vir amanhã às 10h."),
    (NOTHING, "Ficou assim: quinta às 10h com a Ana."),
    (NOTHING, "Desmarcadinho! Sem problemas."),
    (NOTHING, "Coloquei você na lista de espera."),
    (NOTHING, "Você entrou na lista de espera de sábado!"),
    (NOTHING, "Te incluí na fila de espera, tá?"),
    (BOOKED, "Coloquei você na lista de espera de sábado."),
    (WAITING, "Coloquei você na lista de espera de domingo."),
    (WAITING, "Coloquei você na lista de espera da Bia, com a Bia."),
    (WAITING, "Marquei seu corte para sábado!"),
    (STILL_WAITING, "Sua escova está marcada para sexta às 15h."),
    (STILL_WAITING, "Sua vaga de sexta às 16h está guardada."),
    # in other languages
    (NOTHING, "I've booked you for Friday at 10."),
    (NOTHING, "You're all set for tomorrow at 10am!"),
    (NOTHING, "I just scheduled your haircut with Ana."),
    (NOTHING, "Booked! See you on Friday."),
    (NOTHING, "Your appointment is confirmed."),
    (NOTHING, "Your appointment has been cancelled."),
    (NOTHING, "I've moved your appointment to Friday."),
    (NOTHING, "I rescheduled it for you."),
    (NOTHING, "I've added you to the waiting list."),
    (NOTHING, "See you tomorrow at 10!"),
    (NOTHING, "Te reservé el viernes a las 10."),
    (NOTHING, "Listo, tu cita quedó agendada para mañana a las 10."),
    (NOTHING, "He reservado tu turno."),
    (NOTHING, "Tu cita está confirmada."),
    (NOTHING, "Ya cancelé tu cita."),
    (NOTHING, "Te esperamos el viernes a las 10."),
    (BOOKED, "I've booked you with Ana for Friday at 11:30."),
    (BOOKED, "I've booked you for Wednesday at 3 pm."),
    (BOOKED, "Listo, te reservé el miércoles a las 11:30 con Bia."),
    (NOTHING,"Perfeito, já agendei aqui."),
    (NOTHING,"Tá na agenda!"),
    (NOTHING,"Já tá tudo certo pra quarta às 10h."),
    (NOTHING,"Seu horário tá ok pra quarta às 10h."),
    (NOTHING,"Te vejo amanhã às 10 então!"),
    (NOTHING,"Pode ficar sossegada que tá marcado."),
    (NOTHING,"Bora, fechado quarta 10h com a Ana!"),
    (NOTHING,"Coloquei seu nome na lista de espera."),
    (NOTHING,"Seu nome está na lista de espera."),
    (NOTHING,"Te coloquei na fila de espera de sábado."),
    (NOTHING,"Separei o horário das 10h pra você."),
    (NOTHING,"Guardei sua vaga!"),
    (NOTHING,"Segurei o horário das 10h pra você."),
    (NOTHING,"Bloqueei a agenda da Ana às 10h pra você."),
    (NOTHING,"Vaga garantida!"),
    (NOTHING,"Sua cadeira está reservada."),
    (NOTHING,"Já está no sistema: quarta às 10h."),
    (NOTHING,"Done! You have an appointment on Friday at 10am."),
    (NOTHING,"Your spot is saved."),
    (NOTHING,"I have reserved your spot."),
    (NOTHING,"We've got you down for Friday at 10."),
    (NOTHING,"I put you down for Friday at 10."),
    (NOTHING,"Tienes tu cita el viernes a las 10."),
    (NOTHING,"Quedaste agendada para el viernes."),
    (NOTHING,"Tu turno quedó confirmado."),
    (NOTHING,"Cancelé tu cita."),
    (NOTHING,"Sua consulta tá remarcadinha pra quinta."),
    (NOTHING,"Puxei seu horário pra quinta às 10h."),
    (NOTHING,"Passei você pra quinta."),
    (NOTHING,"Joguei seu horário pra sexta às 9h."),
    (NOTHING,"Cancelamento feito, tá?"),
    (NOTHING,"Tá cancelado!"),
    (NOTHING,"Pode deixar, já desmarquei."),
    (BOOKED,"Marcado! Corte e escova com a Ana amanhã às 11:30."),
    (BOOKED,"Marcado com o Caio para amanhã às 11:30!"),
    (BOOKED,"Agendado! Corte feminino com Ana, 02/12 às 11:30, total R$ 150,00."),
    (BOOKED,"Agendado! Corte masculino com Ana, 02/12 às 11:30."),
    (STANDING,"Seu corte é com o Caio, quarta às 11h30."),
    (STANDING,"Você tem escova marcada com a Ana quarta às 11:30."),
    (BOOKED,"Fica R$ 90,00 o corte que marquei."),
    (NOTHING, "Já deixei no seu nome, às 16h."),
    # Each of it true of some visit, and together of none.
    (THREE, "Você tem dois horários marcados: corte com a Ana na sexta às 9h e escova com a Bia na quarta às 11:30."),
    (THREE, "Seus horários marcados:\n- Corte feminino com Ana Souza, sexta-feira, 04/12, às 09:00\n- Escova com Bia Lima, quarta-feira, 02/12, às 11:30"),
    (THREE, "Você tem horário marcado com a Bia na quarta às 11:30 e com a Ana na sexta às 9h."),
    (THREE, "Estão confirmados quarta às 9h e sexta às 11:30."),
    (THREE, "Está confirmado na quarta-feira, 04/12, às 9h."),
    (THREE, "Seu corte está marcado para quarta às 9h."),
    (THREE, "Seu corte com a Bia está confirmado."),
    (THREE, "Seu corte com a Bia e a escova com a Ana estão confirmados."),
    (THREE, "Na sexta você está marcada às 9h com o Caio e às 15h com a Bia."),
    (THREE, "Seu corte na sexta e a escova na quarta estão confirmados."),
    (THREE, "Escova na sexta às 15h e barba na sexta às 9h estão marcadas."),
    (THREE, "Marcado: quarta às 11:30 com a Bia e sexta às 9h com a Ana."),
    (THREE, "Seus horários de quarta, 02/12, às 9h, e sexta, 04/12, às 11:30, estão confirmados."),
    (THREE, "Sua escova com a Bia está marcada para quarta às 11:30 e seu corte com a Ana para sexta às 9h."),
    (THREE, "Corte e escova com a Ana: quarta às 11:30 e sexta às 9h estão marcados."),
    (ONE_MOVED, "Mudei sua escova com a Bia para quinta às 10h."),
    (ONE_MOVED, "Remarquei sua escova de sexta às 9h para quinta às 10:00."),
    (ONE_MOVED, "Mudei o corte para sexta às 9h e mantive a escova na quinta às 10h."),
    (ONE_MOVED, "Remarquei seu corte de sexta às 9h para quinta às 10:00."),
    (ONE_MOVED, "Passei seu horário de sexta para quinta às 10h."),
    (ONE_CANCELLED, "Cancelei o corte de sexta às 9h; a escova de quarta às 11:30 continua marcada."),
    (ONE_CANCELLED, "Cancelei seu corte com a Bia."),
    (ONE_CANCELLED, "Cancelei sua escova de quarta às 11:30."),
    (ONE_CANCELLED, "Escova de sexta cancelada, e o corte segue confirmado para quarta às 12:30."),
    (ONE_CANCELLED, "Escova de sexta cancelada, e a barba segue confirmada para quarta às 11:30."),
    (ONE_CANCELLED, "Cancelei a barba de sexta às 15h, mas seu corte de quarta às 11:30 continua marcado."),
    (ONE_CANCELLED, "Cancelei a escova e o corte de quarta às 11:30."),
    (ONE_CANCELLED, "Cancelei a escova e mantive o corte de quarta às 12:30."),
    (ONE_CANCELLED, "Cancelei a escova, te espero quarta às 15h."),
    (ONE_CANCELLED, "A escova segue marcada e o corte foi cancelado."),
    (ONE_CANCELLED, "Pronto, cancelei sua barba de sexta às 15h."),
    (ONE_CANCELLED, "Cancelei a escova e marquei uma barba para quarta às 10h."),
]  # fmt: skip


@pytest.mark.parametrize(("evidence", "text"), LIES)
def test_what_is_not_so_is_caught(evidence: Evidence, text: str) -> None:
    assert fault(text, evidence) == guardrails.CLAIM
    noted = "pedido" in text or "notei" in text  # by a person who goes on it is read
    assert noted or fault(text, evidence, final=True) == guardrails.CLAIM


PERSONS = [
    "Vou passar sua mensagem para a equipe.",
    "Vou pedir para alguém te ligar.",
    "Um dos nossos atendentes vai te chamar.",
    "Nossa equipe vai entrar em contato com você.",
    "A recepção vai te retornar.",
    "Já chamei um atendente, aguarde.",
    "Transferindo para um atendente...",
    "Encaminhei seu caso ao responsável.",
    "Entendi! Vou encaminhar sua solicitação para a equipe responsável.",
    "Lamento o ocorrido. Nossa equipe entrará em contato para resolver.",
    "Vou acionar um atendente humano para te ajudar.",
    "Um especialista vai falar com você em instantes.",
    "Vou repassar o recado para a Ana.",
]  # fmt: skip
PROMISES = [
    "Vou checar com a Ana e te retorno já já.",
    "Vou dar uma olhadinha e já te falo!",
    "Só um instantinho...",
    "Um minuto que já verifico.",
    "Peraí que vou ver.",
    "Deixa comigo, vou ver a agenda.",
    "Estou consultando, aguarde por favor.",
    "Em breve te respondo.",
    "Assim que eu tiver a resposta, te aviso.",
    "Vou agendar agora mesmo.",
    "Estou cancelando seu horário.",
    "Volto já com os horários.",
    "Vou verificar a disponibilidade da Ana e já volto!",
    "Claro! Vou consultar os horários disponíveis para quarta-feira.",
    "Perfeito! Vou agendar o corte com a Ana para quarta às 11:30. 😊",
    "Aguarde um momento enquanto verifico a agenda...",
    "Certo, deixa eu checar isso pra você!",
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "expected"),
    [*((text, guardrails.PERSON) for text in PERSONS), *((text, guardrails.PROMISE) for text in PROMISES)],
)
def test_what_nobody_will_do_is_not_promised(text: str, expected: guardrails.Fault) -> None:
    assert fault(text, NOTHING) == expected


WORDS_OF_ALL = sorted({word for text in [*ORDINARY, *(text for _, text in LIES)] for word in text.split(" ")})

# The tables, row by row: what each catches, and what looks like it and passes

LEAK_ROWS = {
    "tag": (
        ["<tool_call>{}</tool_call>", "<function=agendar>", '<invoke name="agendar">', "<think>ele quer corte</think> Oi!"],
        ["Temos promoção <3", "Preço < 100 e > 50", "Endereço: <https://exemplo.com>"],
    ),
    "open tag": (["<tool_call", "</ function_calls"], ["Valores: < 10"]),
    "special token": (["<|im_end|>", "<｜tool▁calls▁begin｜>", "[TOOL_CALLS]"], ["Corte | Barba | Escova"]),
    "JSON": (['{"name": "cancelar", "arguments": {}}', "[{'tool': 'agendar'}]", '{"termo": "corte"}'], ["{corte}"]),
    "empty JSON": (["{}", "[]"], ["Serviços [corte e barba]"]),
    "fence": (["```json\n1\n```", "```{"], ["```Corte: R$ 40```"]),
    "call": (
        ["buscar_horarios(data='2026-12-02')", "cancelar()", 'agendar({"a": 1})', "agendar(hora: 10)"],
        ["Para cancelar (até 2 horas antes), é só avisar.", "Você pode agendar(ou remarcar) por aqui."],
    ),
    "ReAct": (["Action: agendar", "Action Input: corte", "Thought: o cliente"], ["Observação: traga um documento."]),
    "function": (["to=functions.agendar", "functions.agendar:0"], ["Tem estacionamento funcional."]),
    "no word": (["null", "None", "Resposta: undefined"], ["Anúncio nulo."]),
}  # fmt: skip
INTERNAL_ROWS = {
    "name": (
        ["Vou usar buscar_horarios.", "Seu agendamento_id 7 é quarta.", "O tool_result veio vazio.", "FORA_DO_EXPEDIENTE"],
        ["Nosso Instagram é @studio_bela.", "Para agendar, cancelar ou remarcar, é só chamar."],
    ),
    "mark": (
        ["[Sistema] Continue.", "[Mensagem da equipe enviada ao cliente] Oi", "[O cliente enviou um áudio.]"],
        ["Nosso sistema mostra dois horários livres."],
    ),
    "trace": (
        ["Traceback (most recent call last):", 'File "x.py", line 3', "Deu KeyError aqui."],
        ["Houve um erro de digitação, desculpe!"],
    ),
    "database": (
        ["O sqlalchemy caiu.", "SELECT id FROM appointment", "INSERT INTO x"],
        ["Nossa linha Select é vegana."],
    ),
    "prompt": (
        ["Você é o assistente virtual de Studio Bela.", "## Como trabalhar", "Meu system prompt diz"],
        ["Sou o assistente virtual de Studio Bela.", "Veja como trabalhamos."],
    ),
    "time zone": (["São 10:20 (America/Sao_Paulo)."], ["Horário de Brasília."]),
    "tool talk": (["A ferramenta não retornou nada."], ["Nossas ferramentas são esterilizadas."]),
    "call talk": (["Fiz uma chamada de função."], ["Faço uma chamada para você?"]),
}  # fmt: skip
PERSON_ROWS = {
    "will fetch": (
        ["Vou te passar para um atendente.", "Vou chamar uma pessoa da equipe agora.", "Vou verificar com a equipe e já te aviso."],
        ["Posso te passar para um atendente?", "Se preferir, vou chamar uma pessoa da equipe.", "Vou te passar o valor por pessoa: R$ 50,00."],
    ),
    "will pass on": (["Vou passar o recado para a Ana."], ["Quer deixar um recado?"]),
    "fetching": (
        ["Estou te encaminhando para um atendente.", "Transferindo para um atendente..."],
        ["Não estou te passando para ninguém da equipe, fique tranquila."],
    ),
    "fetched": (["Já avisei a equipe.", "Passei seu pedido para a recepção."], ["Passei no salão ontem!"]),
    "somebody comes": (
        ["Uma pessoa da equipe vai te responder em breve.", "Um atendente já vai falar com você.", "Alguém entra em contato."],
        ["Quer que uma pessoa da equipe continue?", "Alguém vai te receber na porta.", "Alguém vai com você?"],
    ),
    "the team comes": (
        ["A equipe vai te responder logo.", "Nosso time já vai verificar."],
        ["Nossa equipe vai te receber com café.", "A equipe vai adorar te ver!"],
    ),
    "the team answers": (["Nossa equipe entrará em contato."], ["Nossa equipe responde de segunda a sexta."]),
    "you will be served": (
        ["Você será atendida por uma pessoa.", "Você vai ser atendido em breve."],
        ["Você será atendida pela Ana."],
    ),
    "wait for contact": (["Aguarde o contato da nossa recepção."], ["Aguarde na recepção."]),
    "we contact you": (["Entraremos em contato.", "Retornaremos amanhã."], ["Pode entrar em contato por aqui."]),
}  # fmt: skip
PROMISE_ROWS = {
    promises.RETURNS: {
        "soon": (["Vou ver e já te aviso.", "Já volto com a resposta!", "Em breve te respondo."], ["Logo na entrada há vagas."]),
        "to you": (
            ["Te aviso quando tiver vaga.", "Te retorno em instantes."],
            ["Te aviso assim que você confirmar o dia.", "Te aviso depois com um lembrete."],
        ),
        "once known": (["Assim que abrir uma vaga, te chamo."], ["Assim que você souber, me avise."]),
        "back": (["Retorno em alguns minutos."], ["O retorno em 15 dias é grátis."]),
        "future": (["Entrarei em contato."], ["Você pode entrar em contato por aqui."]),
        "will": (["Vou te avisar quando tiver vaga."], ["Não vou te avisar de novo."]),
    },
    promises.LOOKS: {
        "will look": (
            ["Vou verificar os horários.", "Deixa eu ver aqui.", "Vou dar uma olhada. Obrigada pela paciência!"],
            ["Vou ver aqui. Temos 10:00 e 11:00.", "Vou verificar. Qual o dia?", "Se me disser o dia, vou verificar."],
        ),
        "looking": (["Estou consultando a agenda."], ["Estou vendo aqui: 10:00 e 11:00."]),
        "at once": (["Já te mando os horários."], ["Já te passo: corte R$ 120,00.", "Me diga o dia que eu já verifico."]),
    },
    promises.WAITS: {
        "a moment": (["Um momento, por favor.", "Um instante!"], ["Um minuto de caminhada do metrô."]),
        "just a moment": (["Só um minutinho 😊", "Aguarde um instante."], ["Só um momento... Achei: quinta, 10:00."]),
        "wait": (["Aguarde, por favor.", "Aguarde!"], ["Aguarde na sala de espera."]),
    },
    promises.ACTS: {
        "will do": (
            ["Vou marcar para você agora.", "Vou cancelar seu horário.", "Vou deixar reservado."],
            ["Vou marcar para quarta às 10h, ok?", "Não vou marcar nada.", "Assim que confirmar, vou marcar."],
        ),
        "will make": (["Vou fazer o seu agendamento."], ["Vou fazer o possível."]),
        "doing": (["Estou agendando seu horário."], ["Estou falando com quem?"]),
        "do at once": (["Já marco para você!"], ["Me diz a hora que eu já marco."]),
    },
}  # fmt: skip
CLAIM_ROWS = {
    (Kind.BOOKED, "did"): (["Marquei seu corte!", "Já agendei."], ["Assim que confirmar, eu marco."]),
    (Kind.BOOKED, "did yours"): (["Confirmei o seu horário.", "Anotei seu agendamento."], ["Anotei seu nome.", "Confirmei que abrimos sábado."]),
    (Kind.BOOKED, "made"): (["Fiz a reserva.", "Fiz o seu agendamento 😊"], ["Fiz uma busca e há dois horários."]),
    (Kind.BOOKED, "we did"): (["Agendamos seu corte."], ["Agendamos de segunda a sexta.", "Marcamos então?"]),
    (Kind.BOOKED, "managed"): (["Consegui te encaixar!"], ["Consegui ver dois horários.", "Não consegui marcar."]),
    (Kind.BOOKED, "left"): (["Deixei tudo marcado."], ["Quer que eu deixe marcado?", "Posso deixar marcado."]),
    (Kind.BOOKED, "agenda"): (["Coloquei você na agenda."], ["Posso colocar você na agenda?"]),
    (Kind.BOOKED, "noun"): (["Sua reserva está feita.", "O agendamento foi realizado."], ["O agendamento é feito por aqui."]),
    (Kind.BOOKED, "headline"): (
        ["Agendado!", "Prontinho, Maria! Corte confirmado", "Horário marcado com sucesso"],
        ["Só com hora marcada.", "Horário marcado por telefone não conta pontos."],
    ),
    (Kind.BOOKED, "put you"): (["Te coloquei às 10h.", "Botei você na quinta!"], ["Posso te colocar às 10h?", "Coloquei você em contato com quem entende."]),
    (Kind.STANDS, "confirmed"): (["Confirmadíssimo!", "Ok, corte confirmado."], ["Só com horário confirmado.", "Confirmado?"]),
    (Kind.KEPT, "kept it"): (["Separei o horário das 10h pra você.", "Guardei sua vaga!"], ["Separei umas fotos para você.", "Quer que eu separe o horário?"]),
    (Kind.KEPT, "is kept"): (["Sua vaga tá salva!", "O lugar está guardado."], ["Seu contato está salvo.", "A vaga está salva?"]),
    (Kind.STANDS, "all set"): (["You're all set for Friday!", "You are booked."], ["Once you're all set, come in.", "Are you booked?"]),
    (Kind.STANDS, "is"): (
        ["Seu horário está confirmado.", "Tá marcado, viu?", "Seu corte segue mantido."],
        ["Ainda não está confirmado.", "Seu horário está confirmado?", "Seu pagamento está confirmado."],
    ),
    (Kind.STANDS, "for a day"): (["Tenho você marcada com a Ana para quarta."], ["Não há nada marcado para quarta."]),
    (Kind.STANDS, "came to a day"): (["Seu corte ficou para quarta."], ["Ficou alguma dúvida?"]),
    (Kind.STANDS, "you have"): (["Você tem um horário marcado."], ["Você tem um horário marcado?"]),
    (Kind.STANDS, "your list"): (["Seus horários marcados:", "Estes são os seus agendamentos:"], ["Nossos horários:", "Seus horários livres na sexta:"]),
    (Kind.STANDS, "is yours"): (["O horário é seu!", "Você está na agenda."], ["O horário é às 10h?"]),
    (Kind.EXPECTED, "yours is"): (["Seu corte é quarta às 15h."], ["Seu corte é quarta às 15h, certo?", "Seu nome é Maria?"]),
    (Kind.EXPECTED, "you have it"): (["Você tem horário na quarta às 10h."], ["Você tem horário na quarta?", "Você tem um horário livre na quarta às 10h."]),
    (Kind.EXPECTED, "so it is"): (["Então fica quarta às 10h.", "Tudo certo para quarta às 10h!"], ["Então fica quarta às 10h. Posso marcar?"]),
    (Kind.EXPECTED, "becomes"): (["Fica marcado para as 10h."], ["O horário fica reservado por 15 minutos."]),
    (Kind.EXPECTED, "awaited"): (["Te esperamos às 10h!", "Nos vemos quinta às 10h."], ["Te esperamos!", "Te esperamos das 9h às 18h, temos vagas."]),
    (Kind.EXPECTED, "may come"): (["Pode vir às 10h."], ["Pode vir quando quiser.", "Pode vir às 10h?"]),
    (Kind.EXPECTED, "until"): (["Até quarta, às 10h!"], ["Até logo!", "Abrimos até as 18h."]),
    (Kind.EXPECTED, "opener"): (["Prontinho! Quarta às 10h."], ["Pronto, estes são os horários de quarta: 10:00.", "Fechado aos domingos; sábado das 9h às 13h."]),
    (Kind.MOVED, "did"): (["Remarquei!"], ["Posso remarcar."]),
    (Kind.MOVED, "did yours"): (["Mudei o seu horário."], ["Passei seu recado."]),
    (Kind.MOVED, "did to a day"): (["Transferi para quinta."], ["Passei para dar um oi."]),
    (Kind.MOVED, "made"): (["Fiz a troca."], ["Não fiz a troca."]),
    (Kind.MOVED, "for a day"): (["Reagendado para sexta."], ["Para ser remarcado para sexta, preciso do seu sim."]),
    (Kind.MOVED, "managed"): (["Consegui trocar!"], ["Não consegui trocar."]),
    (Kind.MOVED, "is"): (["Já está remarcado."], ["Pode ser remarcado."]),
    (Kind.MOVED, "visit is"): (["Seu horário foi alterado."], ["O endereço foi alterado."]),
    (Kind.MOVED, "changed"): (["Seu horário mudou para sexta."], ["Nosso telefone mudou."]),
    (Kind.MOVED, "noun"): (["Remarcação feita!", "A troca foi concluída."], ["A troca pode ser feita até 2 horas antes."]),
    (Kind.MOVED, "headline"): (["Remarcado!"], ["Se for remarcado, aviso."]),
    (Kind.CANCELLED, "did"): (["Cancelei.", "Pode ficar tranquila, já cancelei."], ["Você disse que cancelei, mas não vejo isso."]),
    (Kind.CANCELLED, "did yours"): (["Removi seu horário."], ["Removi a dúvida?"]),
    (Kind.CANCELLED, "made"): (["Fiz o cancelamento."], ["Não fiz o cancelamento."]),
    (Kind.CANCELLED, "managed"): (["Consegui cancelar."], ["Não consegui cancelar."]),
    (Kind.CANCELLED, "is"): (["Seu horário foi cancelado."], ["Nada foi cancelado.", "Depois de cancelado, ele fica livre."]),
    (Kind.CANCELLED, "noun"): (["Cancelamento efetuado."], ["O cancelamento pode ser feito por aqui."]),
    (Kind.CANCELLED, "headline"): (["Prontinho, cancelado!"], ["Horário cancelado com menos de 2 horas é cobrado."]),
    (Kind.WAITING, "put"): (["Coloquei você na lista de espera."], ["Posso colocar você na lista de espera?", "Quer que eu te ponha na fila de espera?"]),
    (Kind.WAITING, "is"): (["Você está na lista de espera.", "You're on the waiting list."], ["Você não está na lista de espera.", "Quem está na lista de espera é avisado antes?"]),
    (Kind.NOTED, "noted"): (["Anotei aqui!", "Registrei seu pedido."], ["Anotei: corte. Para qual dia?", "Anotei aqui que você não recebe mais lembretes."]),
    (Kind.NOTED, "is noted"): (["Seu pedido foi anotado."], ["O pedido pode ser anotado por aqui?"]),
}  # fmt: skip
Row = tuple[str, Mapping[str, str], list[str], list[str], str]


def rows(
    table: Table, words: Mapping[str, str], examples: dict[str, tuple[list[str], list[str]]], kind: str
) -> list[Row]:
    """Each pattern of a table, with what its row catches and lets pass, and the kind of fault that it is."""
    assert {name for name, _ in table} == set(examples), "each row has its examples"
    return [(pattern, words, *examples[name], kind) for name, pattern in table]


def named_rows() -> list[Row]:
    claimed = tuple(
        (f"{kind.name} {name}", pattern)
        for kind, name, pattern in claim_patterns.CLAIMS
        if kind is not Kind.REPORTED
    )
    claim_examples = {f"{kind.name} {name}": examples for (kind, name), examples in CLAIM_ROWS.items()}
    return [
        *rows(guardrails.LEAKS + guardrails.LEAKED_WORDS, {}, LEAK_ROWS, "leak"),
        *rows(guardrails.INTERNALS, {}, INTERNAL_ROWS, "internal"),
        *rows(claimed, claim_patterns.WORDS, claim_examples, "claim"),
        *rows(promises.PERSONS, promises.WORDS, PERSON_ROWS, "person"),
        *(
            row
            for table, found in PROMISE_ROWS.items()
            for row in rows(table, promises.WORDS, found, "promise")
        ),
    ]


@pytest.mark.parametrize(("pattern", "words", "caught", "passing", "kind"), named_rows())
def test_each_row_catches_its_own_and_no_more(
    pattern: str, words: Mapping[str, str], caught: list[str], passing: list[str], kind: str
) -> None:
    alone = re.compile(pattern) if not words and pattern[0] in "<[{`(" else compiled([pattern], words)
    seen = [part for text in caught for part in (text.lower(), *(one.text for one in sentences(text)))]
    assert any(alone.search(part) for part in seen), "no example of this pattern"
    assert {text: kind_of(text) for text in caught} == dict.fromkeys(caught, kind)
    assert {text: kind_of(text) for text in passing} == dict.fromkeys(passing)


NO_CLAIMS = {
    "negated": "Seu horário não está marcado.",
    "conditional": "Quando você confirmar, seu horário está garantido.",
    "cited": "Você disse que marquei às 10h.",
    "of others": "Nesse horário outra cliente está marcada.",
    "of other things": "Seu pagamento está confirmado e o evento foi cancelado.",
    "how we work": "Atendemos com horário marcado.",
    "offered": "Posso deixar tudo agendado.",
    "wanted": "Preciso saber o que fica marcado para as 10h.",
    "not yet": "O horário precisa ser bem marcado para quarta.",
    "past": "Você tinha marcado para quarta, em outubro.",
}
NO_CLAIMS_AFTER = {
    "conditional": "Fica tudo certo e está garantido depois que você confirmar.",
    "of others": "O das 10h está reservado para outra cliente.",
    "of other things": "Prontinho, cancelei os lembretes.",
    "a rule": "Seu horário está confirmado e pode mudar.",
    "past": "Seu corte foi marcado para as 10h na semana passada.",
}
NO_PROMISES = {
    "negated": "Eu não vou marcar.",
    "conditional": "Caso queira, vou marcar.",
    "offered": "Basta um oi que já marco.",
    "asked for": "Escolha o dia e eu já marco.",
}
KEPT = {"on the customer": "Vou marcar assim que você confirmar.", "told": "Já te digo: custa R$ 40."}


@pytest.mark.parametrize(
    ("table", "examples"),
    [
        (claim_patterns.NO_CLAIM + claim_patterns.WISHED, NO_CLAIMS),
        (claim_patterns.NO_CLAIM_AFTER, NO_CLAIMS_AFTER),
        (promises.NO_PROMISE, NO_PROMISES),
        (promises.KEPT, KEPT),
    ],
)
def test_each_exemption_has_its_example(table: Table, examples: dict[str, str]) -> None:
    assert {name for name, _ in table} == set(examples)
    assert {text: kind_of(text) for text in examples.values()} == dict.fromkeys(examples.values())


# A person who continues, at the end of a run


@pytest.mark.parametrize(
    "text",
    [
        "Não consegui concluir. Uma pessoa da equipe vai continuar o atendimento por aqui.",
        "Uma pessoa vai verificar e te responde em breve.",
        "Vou te passar para um atendente. Um momento, por favor.",
        "A equipe vai verificar e já te retorna. Aguarde, por favor.",
        "Os horários de quarta são 11:30 e 13:00. Um atendente vai te ajudar a escolher.",
    ],
)
def test_a_final_answer_may_speak_of_the_person_who_continues(text: str) -> None:
    assert fault(text, NOTHING, final=True) is None


@pytest.mark.parametrize(
    "text", ["Vou verificar e já te aviso.", "Vou marcar para você agora.", "Estou verificando."]
)
def test_a_final_answer_promises_nothing_of_the_bot_itself(text: str) -> None:
    assert fault(text, NOTHING, final=True) == guardrails.PROMISE


def test_what_was_announced_and_done_is_no_promise() -> None:
    text = "Vou deixar tudo certo para você!"
    announced = "Prontinho! Vou confirmar seu horário um dia antes também."
    assert fault(text, BOOKED) is None
    assert fault(announced, NOTHING) == guardrails.PROMISE
    assert fault(announced, BOOKED) is None


VISITS = (
    ("corte", "Ana", "quarta", "11:30"),
    ("escova", "Bia", "sexta", "9:00"),
    ("barba", "Caio", "sexta", "15:00"),
)
TOLD = (
    "Você está marcada: {0} com {1} na {2} às {3} e {4} com {5} na {6} às {7}.",
    "Seus horários marcados:\n- {0} com {1}, {2}, às {3}\n- {4} com {5}, {6}, às {7}",
    "Está confirmado para {2} às {3} ({0} com {1}) e {6} às {7} ({4} com {5}).",
    "Confirmado! {2}, {3}, {0} com a {1}; {6}, {7}, {4} com o {5}.",
    "Sua {0} com {1} está marcada para {2} às {3}, e a {4} com {5} para {6} às {7}.",
)


@pytest.mark.parametrize("told", TOLD)
@pytest.mark.parametrize("pair", [(0, 1), (1, 0), (0, 2), (1, 2), (2, 1)])
def test_two_visits_told_in_one_breath(told: str, pair: tuple[int, int]) -> None:
    """So is what fits; whatever of the one is told of the other is caught."""
    one, other = (VISITS[n] for n in pair)
    assert kind_of(told.format(*one, *other), THREE) is None
    for field in range(4):
        mixed = [list(one), list(other)]
        mixed[0][field], mixed[1][field] = other[field], one[field]
        if mixed != [list(one), list(other)]:
            assert kind_of(told.format(*mixed[0], *mixed[1]), THREE) == "claim", (field, mixed)


def test_reasons_of_the_hand_over() -> None:
    """The contract's words for each kind of fault."""
    assert guardrails.LEAK.reason == guardrails.INTERNAL.reason == Reason.RESPOSTA_VAZIA
    assert guardrails.CLAIM.reason == guardrails.PROMISE.reason == Reason.PROMESSA_SEM_ACAO
    assert guardrails.PERSON.reason == Reason.PEDIDO_DO_CLIENTE
    faults = (guardrails.LEAK, guardrails.INTERNAL, guardrails.CLAIM, guardrails.PERSON, guardrails.PROMISE)
    assert len({one.kind for one in faults}) == len(faults)
    assert all(one.nudge.startswith("[Sistema] ") for one in faults)


# What backs a claim


def test_the_lines_of_the_tools_are_understood(now: datetime) -> None:
    """The evidence is read in the very words in which the tools write it."""
    zone = ZoneInfo("America/Sao_Paulo")
    details = Details(
        id=7,
        services=("Corte feminino", "Escova"),
        service_ids=(1, 2),
        professional="Ana Souza",
        professional_id=1,
        starts_at=datetime(2026, 12, 5, 14, 0, tzinfo=UTC),
        minutes=105,
        price_cents=20000,
        status=AppointmentStatus.BOOKED,
    )
    standing = Evidence(appointments=(portuguese.appointment_line(details, zone),))
    cancelled = Evidence(writes=(f"Cancelado (agendamento_id 7): {portuguese.visit(details, zone)}.",))
    for text in ("Seu horário está marcado para sábado, 05/12, às 11h.", "Até sábado, às 11:00!"):
        assert fault(text, standing) is None
        assert fault(text.replace("11", "12"), standing) == guardrails.CLAIM
        assert fault(text.replace("sábado", "domingo"), standing) == guardrails.CLAIM
    assert fault("Cancelei o de sábado, 05/12, às 11:00.", cancelled) is None


def test_a_service_may_be_called_like_a_time() -> None:
    run = Evidence(writes=(BOOKED.writes[0].replace("Corte feminino", "Meia perna às 8, só domingo"),))
    assert fault("Marquei Meia perna às 8, só domingo, para quarta-feira, 02/12, às 11:30.", run) is None
    assert (
        fault("Marquei Meia perna às 8, só domingo, para quarta-feira, 02/12, às 12:45.", run)
        == guardrails.CLAIM
    )


def test_the_last_of_two_writes_counts() -> None:
    """Booked and cancelled in one run: nothing stands any more."""
    run = BOOKED.with_writes([*BOOKED.writes, *CANCELLED.writes])
    assert fault("Seu corte está marcado para quarta às 11:30.", run) == guardrails.CLAIM
    assert fault("Cancelei seu corte de quarta.", run) is None


def test_what_was_cancelled_before_may_be_said() -> None:
    """Of an earlier cancelling there is no trace but that the appointment is gone."""
    text = "Esse horário de quarta já foi cancelado."
    assert fault(text, NOTHING) is None
    assert fault(text, STANDING) == guardrails.CLAIM
    assert fault(text.replace("quarta", "sexta"), STANDING) is None


def test_a_write_found_again_counts() -> None:
    """Words for a wish that was granted before a crash, and changed since."""
    again = (
        "Este pedido já tinha sido atendido (agendamento_id 7) e depois houve outra mudança: Corte com Ana, "
    )
    moved = again + "quinta-feira, 03/12/2026, às 10:00, está marcado. Nada foi feito agora."
    gone = again + "quinta-feira, 03/12/2026, às 10:00, foi cancelado. Nada foi feito agora."
    assert fault("Seu corte está marcado para quinta às 10h.", Evidence(writes=(moved,))) is None
    assert fault("Seu corte está marcado para quinta às 10h.", Evidence(writes=(gone,))) == guardrails.CLAIM
    already = BOOKED.writes[0].replace("Agendado", "Já estava agendado")
    assert fault("Prontinho, está marcado para quarta às 11h30!", Evidence(writes=(already,))) is None


def test_without_today_nothing_is_said_of_tomorrow() -> None:
    text = "Seu corte está marcado para hoje às 11h30."
    assert fault(text, STANDING) == guardrails.CLAIM
    assert fault(text, Evidence(STANDING.appointments)) is None


# Reading


@pytest.mark.parametrize(
    ("text", "times", "days"),
    [
        ("às 10h", {600}, set()),
        ("às 10h30", {630}, set()),
        ("às 10:30", {630}, set()),
        ("às 10 e meia", {630}, set()),
        ("às 3", {900}, set()),
        ("às 3 da tarde", {900}, set()),
        ("às 8 da noite", {1200}, set()),
        ("às 9 da manhã", {540}, set()),
        ("ao meio-dia", {720}, set()),
        ("quarta 10h", {600}, {"quarta"}),
        ("das 10h às 11h", {600}, set()),
        ("10:00-11:00", {600}, set()),
        ("de 10:00 a 11:00", {600}, set()),
        ("aberto até as 18h", set(), set()),
        ("dura 1h30", set(), set()),
        ("com 2 horas de antecedência", set(), set()),
        ("R$ 120,00", set(), set()),
        ("às 25h", set(), set()),
        ("quarta-feira, 02/12/2026, às 11:30", {690}, {"quarta", "2/12"}),
        ("dia 2", set(), {"2"}),
        ("2 de dezembro", set(), {"2/12"}),
        ("1º de março", set(), {"1/3"}),
        ("sábado", set(), {"sabado"}),
        ("segunda opção", set(), set()),
        ("para amanhã", set(), {"2/12"}),
        ("depois de amanhã às 10h", {600}, {"3/12"}),
        ("hoje, às 10h", {600}, {"1/12"}),
    ],
)
def test_times_and_days(text: str, times: set[int], days: set[str]) -> None:
    assert named(normalise(text), date(2026, 12, 1)) == Named(frozenset(times), frozenset(days))


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("Oi! Tudo bem? Sim.", ["oi!", "", "sim."]),
        ("Com a Dra. Ana às 10:30.", ["com a dra. ana as 10:30."]),
        ("* um\n* *dois*", ["- um", "- dois"]),
        ("Não deu, mas marquei", ["nao deu", "mas marquei"]),
        ('Você disse "está marcado".', ["voce disse ."]),
        ("\n\n", []),
    ],
)
def test_sentences(text: str, parts: list[str]) -> None:
    assert [sentence.text for sentence in sentences(text)] == parts


def test_normalise() -> None:
    assert normalise("  *Olá*,\n_MARÍA_ 😊 𝗼𝗸\u200b ") == "ola, maria ok"


# Whatever comes


@settings(max_examples=300)
@given(
    text=st.text()
    | st.lists(st.sampled_from([*WORDS_OF_ALL, "\n", "?", "!", ",", "às 99:99", "31/31", "<", "{"])).map(
        " ".join
    ),
    lines=st.lists(st.text() | st.sampled_from([*BOOKED.writes, *MOVED.writes, *CANCELLED.writes])),
    final=st.booleans(),
)
@example(text="\ud800", lines=[], final=False)
def test_no_text_makes_it_raise(text: str, lines: list[str], final: bool) -> None:
    found = fault(text, Evidence(tuple(lines), tuple(lines), date(2026, 12, 1)), final=final)
    assert found is None or found.nudge


@settings(max_examples=200)
@given(text=st.lists(st.sampled_from(WORDS_OF_ALL)).map(" ".join))
def test_emphasis_and_case_change_nothing(text: str) -> None:
    """*Marquei*, MARQUEI and marquei are one."""
    assert kind_of(text.upper()) == kind_of(text) == kind_of(f"*{text}*")


@pytest.mark.parametrize("babble", ["a" * 200 + "!", " " * 60_000, "a e " * 15_000, "posso " * 10_000 + "?"])
def test_no_length_of_text_takes_the_time_of_the_others(babble: str) -> None:
    """Each took seconds to minutes once, with the interpreter's lock held: the suite would stand still."""
    booked = Evidence(
        writes=("Agendado (agendamento_id 1): Corte com Ana, quarta-feira, 09/12/2026, às 14:00.",)
    )
    fault(f"Prontinho, seu horário está marcado para 09/12 às 14:00.\n{babble}", booked)
