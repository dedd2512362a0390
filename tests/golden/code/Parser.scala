package org.example.calc

import scala.util.{Failure, Success, Try}
import org.example.lex._

/** Reads sums. */
final case class Parser(tokens: List[Token]) extends Reader {
  private val limit = 100

  /** One sum, or why not. */
  def parse(): Try[Expression] = {
    val (expression, rest) = sum(tokens)
    rest match {
      case Nil       => Success(expression)
      case next :: _ => Failure(new IllegalArgumentException(s"did not expect $next"))
    }
  }

  def depth: Int = tokens.size
}

object Parser {
  def apply(text: String): Parser = new Parser(Lexer.tokens(text))
}

trait Reader {
  def depth: Int
}

enum Token {
  case Number(value: Double)
  case Plus
}

given ordering: Ordering[Token] = Ordering.by(_.toString)

type Result = Try[Expression]
