<?php

declare(strict_types=1);

namespace App\Mail;

use App\Contracts\Transport;
use Psr\Log\{LoggerInterface, NullLogger};

require_once __DIR__ . '/helpers.php';

/**
 * Sends messages, one at a time.
 */
final class Mailer implements Sender
{
    use Retries;

    private const ATTEMPTS = 3;

    public function __construct(private Transport $transport, private LoggerInterface $log = new NullLogger())
    {
    }

    /** Returns whether the message left. */
    public function send(Message $message): bool
    {
        for ($attempt = 1; $attempt <= self::ATTEMPTS; $attempt++) {
            if ($this->transport->deliver($message)) {
                return true;
            }
            $this->log->warning('attempt {n} failed', ['n' => $attempt]);
        }

        return false;
    }
}

interface Sender
{
    public function send(Message $message): bool;
}

enum Priority: int
{
    case Low = 1;
    case High = 2;
}

function mailer(): Mailer
{
    return new Mailer(new Smtp());
}
