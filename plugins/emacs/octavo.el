;;; octavo.el --- Find notes and code by word and by meaning  -*- lexical-binding: t; -*-

;; Version: 0.1.0
;; Package-Requires: ((emacs "27.1"))
;; Keywords: matching, outlines, tools
;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; M-x octavo-search lists passages of your Octavo library, best first, and M-x octavo-ask answers a question
;; with the places that say so.  Both are grep buffers: RET opens a place, M-g n and M-g p go through them.

;;; Code:

(require 'grep)
(require 'json)
(require 'subr-x)

(defgroup octavo nil "Find notes and code by word and by meaning." :group 'tools)

(defcustom octavo-program "octavo" "Octavo's command." :type 'string)
(defcustom octavo-limit 30 "How many passages to list at most." :type 'integer)

(defun octavo--call (&rest arguments)
  "What Octavo answers to ARGUMENTS, as an alist.
What goes wrong is an error with its hint."
  (let ((messages (make-temp-file "octavo")))
    (unwind-protect
        (with-temp-buffer
          (apply #'call-process octavo-program nil (list t messages) nil "--json" arguments)
          ;; Where nothing was found the exit code says so, and the answer is there all the same.
          (when (zerop (buffer-size))
            (user-error "%s" (with-temp-buffer (insert-file-contents messages) (string-trim (buffer-string)))))
          (goto-char (point-min))
          (json-parse-buffer :object-type 'alist :array-type 'list))
      (delete-file messages))))

(defun octavo--file (path)
  "The file at PATH, or the mailbox, export or archive that it is a part of."
  (let ((file path))
    (while (and file (not (file-exists-p file)))
      (setq file (unless (equal file "/") (directory-file-name (file-name-directory file)))))
    (if (and file (file-regular-p file)) file path)))

(defun octavo--line (place folders text)
  "PLACE as grep writes it, with TEXT on one line.
FOLDERS has the folder of each collection."
  (let-alist place
    (let* ((path (expand-file-name .uri (cdr (assoc .collection folders))))
           (file (octavo--file path)))
      (format "%s:%d: %s\n"
            file
            (if (equal file path) .start_line 1)
            (string-trim (replace-regexp-in-string "[ \t\n]+" " " text))))))

(defun octavo--show (title lines)
  "Show LINES below TITLE as a grep buffer."
  (with-current-buffer (get-buffer-create "*octavo*")
    (let ((inhibit-read-only t))
      (erase-buffer)
      (insert title "\n\n" (if (string-empty-p lines) "Nothing found.\n" lines)))
    (grep-mode)
    (goto-char (point-min))
    (setq next-error-last-buffer (current-buffer))
    (display-buffer (current-buffer))))

(defun octavo--folders ()
  "The folder of each collection."
  (mapcar (lambda (collection) (let-alist collection (cons .name .root)))
          (alist-get 'collections (octavo--call "status"))))

(defun octavo--asked (prompt)
  "What is typed at PROMPT; the region, or the symbol at point, is offered."
  (let ((here (if (use-region-p)
                  (buffer-substring-no-properties (region-beginning) (region-end))
                (thing-at-point 'symbol t))))
    (read-string (format-prompt prompt here) nil nil here)))

;;;###autoload
(defun octavo-search (query)
  "List the passages of the library that QUERY finds, by word and by meaning."
  (interactive (list (octavo--asked "Search the library")))
  (let ((folders (octavo--folders))
        (hits (alist-get 'hits (octavo--call "search" "--limit" (number-to-string octavo-limit) "--" query))))
    (octavo--show query (mapconcat (lambda (hit) (octavo--line hit folders (alist-get 'excerpt hit))) hits ""))))

;;;###autoload
(defun octavo-ask (question)
  "Answer QUESTION from the library, every sentence with the places that say so."
  (interactive (list (octavo--asked "Ask the library")))
  (let ((folders (octavo--folders))
        (answer (octavo--call "ask" "--" question)))
    (octavo--show
     question
     (mapconcat
      (lambda (sentence)
        (let-alist sentence
          (concat .text "\n"
                  (mapconcat (lambda (place)
                               (octavo--line place folders (string-join (alist-get 'heading_path place) " › ")))
                             .citations "")
                  "\n")))
      (alist-get 'sentences answer)
      ""))))

(provide 'octavo)
;;; octavo.el ends here
