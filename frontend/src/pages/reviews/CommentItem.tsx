// One comment: who, when, what; its author edits and deletes it.
import { useState, type ReactNode } from 'react'

import { useSession } from '../../api/queries'
import { useDeleteComment, useEditComment, type Comment } from '../../api/reviews'
import { ErrorBanner } from '../../components/Banner'
import { Button } from '../../components/Button'
import { Menu, MenuItem } from '../../components/Menu'
import { useFormats } from '../../format/numbers'
import { useT } from '../../i18n'
import { Composer } from './Composer'
import { Initials } from './Person'

/** The text with the names that it mentions set apart. */
function withMentions({ body, mentions }: Comment): ReactNode[] {
  const names = mentions.map((one) => `@${one.text}`).sort((a, b) => b.length - a.length)
  if (names.length === 0) return [body]
  const pattern = new RegExp(`(${names.map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|')})`, 'i')
  return body
    .split(pattern)
    .map((part, index) => (index % 2 === 1 ? <b key={index} className="mention">{part}</b> : part))
}

export function CommentItem({ comment }: { comment: Comment }) {
  const t = useT()
  const formats = useFormats()
  const { data: session } = useSession()
  const edit = useEditComment(comment.id)
  const remove = useDeleteComment(comment.id)
  const [editing, setEditing] = useState(false)
  const name = comment.author?.name ?? t('review.comment.gone')
  const mine = comment.deleted_at === null && comment.author !== null && comment.author.id === session?.user?.id
  return (
    <div className="msg">
      <Initials person={comment.author} />
      <div className="grow">
        <div className="by">
          <b className="strong">{name}</b> <time dateTime={comment.created_at}>{formats.dateTime(comment.created_at)}</time>
          {comment.edited_at !== null && <span> · {t('review.comment.edited')}</span>}
        </div>
        {comment.deleted_at !== null ? (
          <p className="s3">{t('review.comment.deleted')}</p>
        ) : editing ? (
          <Composer
            label={t('review.comment.edit')}
            action={t('common.save')}
            busy={edit.isPending}
            initial={comment.body}
            autoFocus
            onSend={(body) => edit.mutate(body, { onSuccess: () => setEditing(false) })}
            onCancel={() => setEditing(false)}
          />
        ) : (
          <p className="said">{withMentions(comment)}</p>
        )}
        {(edit.error ?? remove.error) && <ErrorBanner error={edit.error ?? remove.error} />}
      </div>
      {mine && !editing && (
        <Menu
          trigger={<Button kind="quiet" size="s" icon="more" aria-label={t('review.comment.actions', { name })} />}
        >
          <MenuItem onSelect={() => setEditing(true)}>{t('review.comment.edit')}</MenuItem>
          <MenuItem icon="trash" bad onSelect={() => remove.mutate(undefined)}>
            {t('common.delete')}
          </MenuItem>
        </Menu>
      )}
    </div>
  )
}
