-- name: work
-- The work that an attachment in Zotero's storage folder belongs to; the folder is named by the attachment's key.
select a.parentItemID from items i join itemAttachments a using (itemID)
where i.key = :key and a.parentItemID is not null and a.parentItemID not in (select itemID from deletedItems);

-- name: fields
select f.fieldName, v.value from itemData d join fields f using (fieldID) join itemDataValues v using (valueID)
where d.itemID = :item;

-- name: creators
select t.creatorType, c.lastName, c.firstName from itemCreators i join creators c using (creatorID)
join creatorTypes t using (creatorTypeID) where i.itemID = :item order by i.orderIndex;
